// Small shifts: a parameter that is off by so little that no number of a short type is wrong by
// itself, seen in all of them together.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// Another offset of the positions, and another base, at which the products of the vectors of some
/// rows lie nearest to the numbers that stand there; the tidiest number within three standard
/// errors of each. None where that is what the hypothesis says already.
RotationProposals small_shifts(const RotationObservation& observation, const Dump& dump,
                               const RotationHypothesis& hypothesis,
                               const std::vector<Index>& rows);

}  // namespace pe
