// Fits of ramps: bands of turns (llama3, the paper's yarn) and index ramps (yarn's code).
#pragma once

#include <utility>

#include "pe/scalings/fit.hpp"

namespace pe::scaling_rows {

/// A share kept that is linear in the turns within `original`, 0 at `low` and 1 at `high`.
struct BandFit {
  double factor = 1, low = 1, high = 4, original = 0, cost = 0;
};
/// `usual`: pairs of low and high that go first.
std::vector<BandFit> fitted_bands(const MeasuredLadder& measured,
                                  const std::vector<std::pair<double, double>>& usual);

/// yarn's parameters without its attention factor, by the code's index ramp or the paper's bands.
ScalingFits fitted_ramps(const MeasuredLadder& measured, bool index);

}  // namespace pe::scaling_rows
