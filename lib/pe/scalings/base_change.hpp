// Scalings that change the base alone: θ'_j = (base·λ^(d/(d−2)))^(−2j/d).
#pragma once

#include <fmt/format.h>

#include <cmath>

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

/// The stretch, above 1, that a measured ladder has against the plain one; value 0 where there is
/// none, or where another base says the same in fewer digits than a factor does: then that is a
/// base, and no rule.
inline Stretch fitted_base_change(const MeasuredLadder& measured) {
  if (measured.plain.dim <= 2) return {};
  const Stretch stretch =
      fitted_stretch(measured, [](double pair, double dim) { return 2 * pair / (dim - 2); });
  if (!(stretch.value > 1)) return {};
  const double exponent =
      static_cast<double>(measured.plain.dim) / static_cast<double>(measured.plain.dim - 2);
  const TidyNumber base = tidiest(measured.plain.base * std::pow(stretch.value, exponent),
                                  exponent * stretch.relative_error);
  const bool is_base =
      base.cost < 0.05 && base.cost < tidiest(stretch.value, stretch.relative_error).cost;
  return is_base ? Stretch{} : stretch;
}

}  // namespace pe::scaling_rows
