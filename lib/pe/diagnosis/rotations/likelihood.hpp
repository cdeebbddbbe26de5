// Likelihood: how much a dump looks like turns, read in one way.
#pragma once

#include "pe/diagnosis/rotations/attempts.hpp"

namespace pe {

/// How much a reading looks like turns: where it says that columns are equal, they are.
struct Likelihood {
  double share =
      0;  // of the cells that look like turns, and a quarter of the share of equal columns
  bool copies_differ = false;
};

Likelihood likelihood(const Expectation& expected, const Dump& dump, const Attempt& attempt,
                      const RotationObservation& observation);

/// Part of the observed turns that could be turns of this reading: on a circle.
double plausibility(const RotationObservation& observation);

/// Part of the columns that grow by the same step from row to row, as angles do.
double straightness(const Dump& dump, const RotationReading& reading);

/// Part of the columns that are waves of equal steps, as one side of turns is: none higher than
/// `usual`, or than what was seen, where they bend as no line does.
double waviness(const Dump& dump, const RotationReading& reading, double usual, double seen);

/// Part of these rows in which vectors do not pass the channels through that do not turn.
double share_of_changed_rest(const Dump& dump, const RotationReading& reading,
                             const std::vector<Index>& rows);

}  // namespace pe
