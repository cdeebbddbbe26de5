// Scalings that change the base alone: θ'_j = (base·λ^(d/(d−2)))^(−2j/d).
#pragma once

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/scalings/fit.hpp"
#include "pe/scalings/values.hpp"

namespace pe::scaling_rows {

/// The ladder whose last pair is divided by `stretch` and whose first is kept.
template <typename Number>
BasicLadder<Number> stretched(const BasicLadder<Number>& plain, const Number& stretch) {
  using std::pow;
  if (plain.dim <= 2)
    throw UsageError(fmt::format(
        "a change of base needs at least two pairs, but --rotary-dim is {}", plain.dim));
  const Number exponent = static_cast<Number>(plain.dim) / static_cast<Number>(plain.dim - 2);
  const Number base = plain.base * pow(stretch, exponent);
  BasicLadder<Number> bent =
      geometric_ladder(base, plain.dim, static_cast<Index>(plain.frequencies.size()));
  decide(bent, "base {} = {} · {}^({}/{})", spell(base), spell(plain.base), spell(stretch),
         plain.dim, plain.dim - 2);
  return bent;
}

/// The stretch that a measured ladder has against the plain one.
inline Stretch fitted_base_change(const MeasuredLadder& measured) {
  if (measured.plain.dim <= 2) return {};
  return fitted_stretch(measured, [](double pair, double dim) { return 2 * pair / (dim - 2); });
}

}  // namespace pe::scaling_rows
