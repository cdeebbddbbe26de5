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

/// The first position, counted from that of the first row, that is not what a hypothesis says; −1
/// where all are. Of vectors those of the first run are looked at.
Index first_slot_unlike(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis);

/// The hypothesis with the frequencies and the amplitude of another from a position on, counted so.
RotationHypothesis changed_from(const RotationObservation& observation,
                                const RotationHypothesis& first, Index slot,
                                const RotationHypothesis& then);

}  // namespace pe
