// Scalings that change the base alone: θ'_j = (base·λ^(d/(d−2)))^(−2j/d).
#pragma once

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::scaling_rows {

inline std::string spell(const Real& value) { return fmt::format("{:.10g}", to_double(value)); }

/// The ladder whose last pair is divided by `stretch` and whose first is kept.
inline Ladder stretched(const Ladder& plain, const Real& stretch) {
  if (plain.dim <= 2)
    throw UsageError(fmt::format(
        "a change of base needs at least two pairs, but --rotary-dim is {}", plain.dim));
  const Real base = plain.base * pow(stretch, Real(plain.dim) / (plain.dim - 2));
  Ladder bent = geometric_ladder(base, plain.dim, static_cast<Index>(plain.frequencies.size()));
  bent.decisions = {fmt::format("base {} = {} · {}^({}/{})", spell(base), spell(plain.base),
                                spell(stretch), plain.dim, plain.dim - 2)};
  return bent;
}

}  // namespace pe::scaling_rows
