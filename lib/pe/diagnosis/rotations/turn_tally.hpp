// Turn tally: what one thread has seen of a dump's turns, and all of them together.
#pragma once

#include <array>
#include <vector>

#include "pe/diagnosis/rotations/residuals.hpp"

namespace pe {

/// What one thread has seen.
struct TurnTally {
  RotationResiduals residuals;
  std::array<double, 64>
      curve;  // worst error by the number of the position's binary digits; below 0: none was seen
  Index worst_row = -1;
  Index worst_pair = 0;
  bool worst_sine = false;

  TurnTally() { curve.fill(-1); }
};

/// A row beyond the bound: the first, and some others.
void suspect(RotationResiduals& residuals, Index row);

/// The worst error of a row, for the curve.
void keep(TurnTally& part, const RotationObservation& observation, Index row, double worst);

void merge(RotationResiduals& into, const TurnTally& part);

/// One point for each doubling of the position.
std::vector<Diagnosis::Point> curve_of(const RotationObservation& observation,
                                       const std::vector<TurnTally>& parts);

}  // namespace pe
