// The other axis: vectors that turn by their index along an axis that does not count positions.
#pragma once

#include <optional>

#include "pe/diagnosis/rotations/slices.hpp"

namespace pe {

/// What is wrong with vectors that turn alike wherever along the axis of positions they stand, and
/// not alike along another: by the index along that, counted from the first position or from 0, and
/// by whatever `judge` finds beside. Nothing where it finds nothing, or they turn otherwise.
std::optional<Diagnosis> judge_by_other_axis(const Expectation& expected, const Dump& dump,
                                             std::optional<Side> side, const Judge& judge);

}  // namespace pe
