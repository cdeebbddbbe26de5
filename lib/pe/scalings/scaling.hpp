// Scalings: rules that bend a rope ladder so that a model reaches beyond the length it was trained
// on.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pe/model/parameter.hpp"
#include "pe/scalings/fit.hpp"
#include "pe/scalings/values.hpp"

namespace pe {

struct Scaling {
  std::string_view name;       // as --scaling and rope_type spell it
  std::string_view also = {};  // other words that people have for it
  std::string_view summary;
  std::string_view source;
  std::span<const Parameter> parameters;
  std::string_view one_of = {};  // options of which it needs one, the usual one first
  std::string_view revokes;      // laws that rope promises and this rule breaks
  bool whole_head =
      false;  // bends the ladder of the whole head and reads partial-rotary-factor itself
  Ladder (*bend)(const Ladder& plain, const Values<Real>& values, Index length);
  /// The same rule in double, from settings: for what is held against a measurement.
  BasicLadder<double> (*sketch)(const BasicLadder<double>& plain, const Values<double>& values,
                                Index length);
  /// What a ladder that was measured says of the parameters, the likeliest first.
  ScalingFitter fit;
};

/// The rule in the type of the ladder.
template <typename Number>
BasicLadder<Number> bent(const Scaling& scaling, const BasicLadder<Number>& plain,
                         const Values<Number>& values, Index length) {
  if constexpr (std::is_same_v<Number, Real>)
    return scaling.bend(plain, values, length);
  else
    return scaling.sketch(plain, values, length);
}

/// Every scaling, in the order of scalings.def.
std::span<const Scaling* const> all_scalings();

/// Throws UsageError with the nearest name.
const Scaling& find_scaling(std::string_view name);

/// "llama3 scaling by 8 of 8192, high-freq-factor 8": a rule with the settings that are not its
/// fallbacks.
std::string spell_scaling(const Scaling& scaling, const Settings& settings);

}  // namespace pe
