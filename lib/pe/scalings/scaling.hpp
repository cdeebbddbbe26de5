// Scalings: rules that bend a rope ladder so that a model reaches beyond the length it was trained
// on.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pe/model/frequencies.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

struct Scaling {
  std::string_view name;  // as --scaling and rope_type spell it
  std::string_view summary;
  std::string_view source;
  std::span<const Parameter> parameters;
  std::string_view revokes;  // laws that rope promises and this rule breaks
  bool whole_head =
      false;  // bends the ladder of the whole head and reads partial-rotary-factor itself
  Ladder (*bend)(const Ladder& plain, const Parameters& parameters, Index length);
};

/// Every scaling, in the order of scalings.def.
std::span<const Scaling* const> all_scalings();

/// Throws UsageError with the nearest name.
const Scaling& find_scaling(std::string_view name);

}  // namespace pe
