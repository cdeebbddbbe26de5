// Bases: another base of θ_j = base^(−2j/d), fitted to what was measured.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

RotationProposals other_base(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis);

/// Another base whose pairs are divided by what the scaling found for the one that is meant.
RotationProposals base_under_divisors(const RotationObservation& observation,
                                      const RotationHypothesis& hypothesis);

/// Another end of a ladder between two timescales.
RotationProposals other_timescales(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis);

/// The same of the ladders of several axes.
RotationProposals base_of_axes(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis);

/// The base of those that are meant, a convention's own included; nothing along one axis.
std::optional<double> meant_base_of_axes(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis);

}  // namespace pe
