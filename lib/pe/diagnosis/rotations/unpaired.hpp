// Unpaired: numbers of a dump that are no turn of a pair.
#pragma once

#include "pe/diagnosis/rotations/exact.hpp"
#include "pe/diagnosis/rotations/turn_tally.hpp"

namespace pe {

/// Channels of vectors that do not turn.
void look_at_rest(const RotationObservation& observation, const Dump& dump, Index first,
                  Index count, RotationResiduals& residuals);

/// Columns of a table that no pair has both sides of: zeros, or a side whose other was cut, whose
/// float32 angles grow with the position as those of the pairs do.
void look_at_lone(const RotationObservation& observation, const Dump& dump, const ExactTruth& truth,
                  Index first, Index count, TurnTally& part);

}  // namespace pe
