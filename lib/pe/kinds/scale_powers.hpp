// The scales of one rule at many positions.
#pragma once

#include <functional>

#include "pe/kinds/scales.hpp"

namespace pe {

/// As fill_scales of the rule; what its calls have in common is made once. Thread-safe.
std::function<void(Side, const PositionRange&, DType, std::byte* out)> scales_of(ScaleRule rule);

}  // namespace pe
