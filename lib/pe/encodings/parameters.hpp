// Parameters that several encodings have, each with the bounds and the other names that it has
// everywhere.
#pragma once

#include "pe/model/parameter.hpp"

namespace pe::encoding_rows::row {

constexpr Parameter heads(const char* help = "attention heads", const char* fallback = "8",
                          const char* config = "num_attention_heads n_head n_heads") {
  return {.name = "heads",
          .help = help,
          .fallback = fallback,
          .lowest = "1",
          .highest = "65536",
          .config = config};
}

/// Of a row, or of a head: channels that turn in pairs, or are sines and cosines, are two or more.
constexpr Parameter dim(const char* help, const char* fallback, const char* config = nullptr) {
  return {.name = "dim",
          .help = help,
          .fallback = fallback,
          .lowest = "2",
          .highest = "65536",
          .config = config};
}

/// Of a ladder of frequencies.
constexpr Parameter base(const char* help, const char* fallback = "10000",
                         const char* alias = "theta", const char* config = nullptr) {
  return {.name = "base",
          .type = Parameter::Type::number,
          .help = help,
          .fallback = fallback,
          .lowest = "1e-60",
          .highest = "1e60",
          .alias = alias,
          .config = config};
}

}  // namespace pe::encoding_rows::row
