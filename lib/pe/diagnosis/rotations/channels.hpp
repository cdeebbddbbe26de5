// Channels: those of vectors that were not turned, pairs of tables that turn nowhere, cells that
// alone were rounded to a short type, where the others are right.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// Pairs that hold one turn in every row that was probed, where what is meant turns them by a tenth
/// of a radian and more; nothing where they are many.
std::vector<Index> still_pairs(const RotationObservation& observation);

/// "pairs 0, 3 of every row turn nowhere", or hold zeros.
Reason told_still(const RotationObservation& observation, const std::vector<Index>& pairs);

/// Nothing where some channel is wrong otherwise; of vectors and of tables of both sides.
std::optional<Reason> spoilt_channels(const RotationObservation& observation, const Dump& dump);

}  // namespace pe
