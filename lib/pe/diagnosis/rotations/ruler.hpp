// Rulers: the probes of a dump by equal steps along an axis, to measure frequencies by.
#pragma once

#include <limits>
#include <map>

#include "pe/diagnosis/rotations/measured.hpp"
#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// Probes by steps along an axis.
struct Ruler {
  std::map<Index, std::size_t> probes;
  double step = 1;
  double origin = 0;  // where step 0 stands: float32 angles are off by a share of themselves
};

/// Probes of the first run by position; of several axes, by equal steps of the axis that the pair
/// reads.
Ruler ruler_of(const RotationObservation& observation, const RotationHypothesis& meant,
               std::size_t axis);

/// Of one pair, its bound, and how far apart the rows are that it comes from.
struct PairEstimate {
  double value = std::numeric_limits<double>::quiet_NaN(),
         error = std::numeric_limits<double>::infinity(), farthest = 0;
};

/// Of waves of which one side alone was seen.
MeasuredFrequencies measured_of_one_side(const RotationObservation& observation);

}  // namespace pe
