// Bases fitted to what was measured.
#pragma once

#include <vector>

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// Whether the frequencies tell more than the rows: there are none, or they turn by frequencies
/// that were rounded.
bool by_frequencies(const RotationObservation& observation, const RotationHypothesis& hypothesis);

/// The base that the measured frequencies have along pairs that the scaling does not tell apart:
/// the first, which it leaves, or others, which it divides by one number. By all cells; and by the
/// sharpest pair where that disagrees: rows that stand elsewhere spoil the cells. None: empty.
std::vector<double> fitted_bases(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis);

}  // namespace pe
