// Other shapes of a ladder than the one that is meant.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// The first pairs alone turn, by the ladder of their own width.
RotationProposals narrower(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis);

/// Frequencies at equal steps, from 1 to one of the ends that programs give them.
RotationProposals equal_steps(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis);

/// Of several axes: a ladder of each one's own, the same beginning for each, or one for all.
RotationProposals ladders_of_axes(const RotationObservation& observation,
                                  const RotationHypothesis& hypothesis);

}  // namespace pe
