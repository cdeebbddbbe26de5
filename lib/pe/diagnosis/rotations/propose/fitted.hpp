// Proposals that are fitted: every scaling of the catalogue is asked what the measured ladder says.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {

/// The measured ladder over a plain one of this base; nothing where the encoding has no scalings or
/// the ladder has been told otherwise before.
std::optional<MeasuredLadder> measured_ladder(const RotationObservation& observation,
                                              const RotationHypothesis& hypothesis, double base);

/// The scaling and the base that are meant; null and 0 where there is none.
const Scaling* meant_scaling(const RotationObservation& observation);
double meant_base(const RotationObservation& observation);

/// The parameters of the scaling that is meant, completed by its fallbacks.
Settings meant_settings(const RotationObservation& observation, const Scaling* scaling);
std::string words_of_meant(const RotationObservation& observation);

/// A rule whose numbers are blended between two ladders, or given one by one.
bool is_ramp(LadderRule rule);

/// The hypothesis with this ladder, its amplitude that of the rule or the one that is meant.
void add_ladder(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                const MeasuredLadder& measured, const BasicLadder<double>& ladder, Settings changes,
                const std::string& sentence, double cost, RotationProposals& all);

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
