// Hypotheses that agree at the probes and explain nothing all the same.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

using RotationExplanations = std::vector<Explanation<RotationObservation>>;

/// Takes out what holds of first columns alone, and what moves frequencies or positions and brings
/// no cell nearer.
void leave_nothings(const RotationObservation& observation, RotationExplanations& hypotheses);

/// Takes out pairs that are mixed up: they would stand so in both columns of each, and where these
/// differ, nothing is.
void leave_pairings(RotationExplanations& hypotheses);

}  // namespace pe
