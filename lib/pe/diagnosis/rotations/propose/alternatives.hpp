// Scaling proposals: what the causes of scaling share: an effect told other parameters, with either
// amplitude.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

bool is_scaled(const RotationObservation& observation, const RotationHypothesis& hypothesis);

/// With the amplitude of the other rule, and with the one that is meant.
void add_both(const RotationObservation& observation, const RotationHypothesis& hypothesis,
              const Settings& changes, const std::string& sentence, double cost,
              RotationProposals& all);

// The causes of yarn's ramp and of longrope's lists, rows of scaling_causes().
RotationProposals yarn_betas(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis);
RotationProposals yarn_ramp(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis);
RotationProposals other_list(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis);
RotationProposals mixed_lists(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis);

/// The first row that is not what a hypothesis says; −1 where all are.
Index first_row_unlike(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis);

}  // namespace pe
