// Hypotheses that agree at the probes and explain nothing all the same.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

using RotationExplanations = std::vector<Explanation<RotationObservation>>;

/// Takes out what holds of first columns alone, and what moves frequencies or positions and brings
/// no cell nearer.
void leave_nothings(const RotationObservation& observation, RotationExplanations& hypotheses);

/// How much farther than another hypothesis one leaves the numbers of a short type, whose bounds
/// hold turns that are hardly theirs: 0 where they lie as near as that, 1 a quarter farther out.
double shortfall(const RotationObservation& observation, const Fit& fit, const Fit& nearest);

/// Cheapest first, and of numbers of a short type what falls short of the nearest dearer by as
/// much.
void put_nearest_first(const RotationObservation& observation, RotationExplanations& hypotheses);

/// Takes out pairs that are mixed up: they would stand so in both columns of each, and where these
/// differ, nothing is.
void leave_pairings(RotationExplanations& hypotheses);

}  // namespace pe
