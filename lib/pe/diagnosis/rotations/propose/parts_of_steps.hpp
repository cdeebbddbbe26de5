// Parts of steps: offsets of positions that are no whole numbers.
#pragma once

#include "pe/diagnosis/rotations/propose/positions.hpp"

namespace pe {

/// Where positions are whole numbers they are found to a quarter; halves are met by engines that
/// take the middle of a token.
double nearest_half(double x);

/// An offset of few digits that is no half, and that the places of all rows agree about; 0: none.
double part_of_places(const std::vector<ProbeSpot>& all);

/// The same of turns that rounding to a short type hides one by one: where all that were probed lie
/// nearest, by Gauss and Newton's steps, each by what is known of it.
double part_of_turns(const RotationObservation& observation, const RotationHypothesis& hypothesis);

}  // namespace pe
