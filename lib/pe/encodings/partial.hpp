// The channels of a head that turn, by a partial rotary factor.
#pragma once

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

/// int(dim · partial-rotary-factor), as every codebase cuts it. Throws UsageError when that is no
/// whole number of pairs.
inline Index partial_dim(const Parameters& parameters) {
  const Real product =
      parameters.number("partial-rotary-factor").real() * parameters.integer("dim");
  const auto rotary = trunc(product).convert_to<Index>();
  if (rotary < 2 || rotary % 2 != 0)
    throw UsageError(fmt::format(
        "--partial-rotary-factor {} of --dim {} turns {} channels, but they turn in pairs",
        parameters.spell("partial-rotary-factor"), parameters.spell("dim"), rotary));
  return rotary;
}

}  // namespace pe
