// Order: vectors that stand at another's place.
#pragma once

#include <vector>

#include "pe/diagnosis/rotations/lengths/lengths.hpp"
#include "pe/diagnosis/rotations/restored.hpp"

namespace pe {

/// Each vector is as long as another one was, along the axis of positions, across the heads, or
/// where an axis of heads bears the name of that of positions; the likelier first.
std::vector<RestoredDump> ordered_otherwise(const Lengths& lengths);

}  // namespace pe
