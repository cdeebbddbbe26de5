// --prefix and --suffix of encodings in whose models tokens without a position stand beside the
// others.
#pragma once

#include "pe/model/parameter.hpp"
#include "pe/model/tokens.hpp"

namespace pe {

inline constexpr Parameter prefix_parameter{
    .name = "prefix",
    .help =
        "tokens without a position before the others (class, registers): rows of zeros in a "
        "table, no turn",
    .lowest = "0",
    .highest = "65536"};
inline constexpr Parameter suffix_parameter{.name = "suffix",
                                            .help = "the same behind the others (Llama 4's class)",
                                            .lowest = "0",
                                            .highest = "65536"};

/// What --prefix and --suffix say; none where they say nothing.
inline Tokens tokens_of(const Parameters& parameters) {
  const auto said = [&](const char* name) {
    return parameters.has(name) ? parameters.integer(name) : Index{0};
  };
  return {said("prefix"), said("suffix")};
}

}  // namespace pe
