// Splits: which channels of a head each axis of a grid has.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// Other numbers of channels for axes that have a ladder each, one after the other.
RotationProposals splits(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis);

}  // namespace pe
