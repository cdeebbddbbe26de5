// Proposals that are fitted: every scaling of the catalogue is asked what the measured ladder says.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {

/// The measured ladder over a plain one of this base; nothing where the encoding has no scalings or
/// the ladder has been told otherwise before.
std::optional<MeasuredLadder> measured_ladder(const RotationObservation& observation,
                                              const RotationHypothesis& hypothesis, double base);

/// "llama3 scaling by 8 of 8192": a rule with the parameters that are not its fallbacks.
std::string describe(const Scaling& scaling, const Settings& settings);

// Rows of scaling_causes(). The scaling that is meant with parameters otherwise, one of them by the
// cause that it has; another scaling over the same base; another over another base.
RotationProposals fitted_parameter(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis);
RotationProposals every_scaling(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis);
/// Each pair divided by a number of its own, as longrope's lists do: dearer than any two causes.
RotationProposals own_divisors(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis);
RotationProposals other_table(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis);

}  // namespace pe
