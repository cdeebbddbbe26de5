// The channels of a head that turn, by a partial rotary factor.
#pragma once

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

/// int(dim · partial-rotary-factor), which may be odd. The product is one of doubles, as Python has
/// it: 192 · 0.6666666666666666 is 128.
inline Index partial_channels(const Parameters& parameters) {
  const double product = parameters.number("partial-rotary-factor").value() *
                         static_cast<double>(parameters.integer("dim"));
  const auto rotary = static_cast<Index>(product);
  if (rotary < 1)
    throw UsageError(fmt::format("--partial-rotary-factor {} of --dim {} turns no channel",
                                 parameters.spell("partial-rotary-factor"),
                                 parameters.spell("dim")));
  return rotary;
}

/// int(dim · partial-rotary-factor), as every codebase cuts it. Throws UsageError when that is no
/// whole number of pairs.
inline Index partial_dim(const Parameters& parameters) {
  const Index rotary = partial_channels(parameters);
  if (rotary < 2 || rotary % 2 != 0)
    throw UsageError(fmt::format(
        "--partial-rotary-factor {} of --dim {} turns {} channels, but they turn in pairs",
        parameters.spell("partial-rotary-factor"), parameters.spell("dim"), rotary));
  return rotary;
}

/// --dim of an encoding that turns pairs. An odd one that a model's class makes by a quotient gives
/// a pair more than fits: transformers' arange(0, d, 2) has (d + 1) / 2 entries. Throws UsageError
/// for one that somebody wrote down, which is a slip.
inline Index head_dim(const Parameters& parameters, std::string_view encoding) {
  const Index dim = parameters.integer("dim");
  const std::string& origin = parameters.origin("dim");
  const bool is_made = origin.starts_with("default") || origin.find(" / ") != std::string::npos;
  if (dim % 2 != 0 && !is_made)
    throw UsageError(
        fmt::format("--dim must be even for {}, got {}", encoding, parameters.spell("dim")));
  return dim;
}

/// int(dim · partial-rotary-factor), which may be odd unless a flag says the factor.
inline Index turning_channels(const Parameters& parameters) {
  const bool told = parameters.origin("partial-rotary-factor").starts_with("flag");
  return told ? partial_dim(parameters) : partial_channels(parameters);
}

}  // namespace pe
