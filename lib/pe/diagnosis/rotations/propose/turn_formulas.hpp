// Formulas of a table's two sides.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// What was made of cosines and sines before they were written.
RotationProposals other_formulas(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis);

}  // namespace pe
