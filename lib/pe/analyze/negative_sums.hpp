// Where B_m = Σ_i cos(mθ_i) is negative, and where it is least, over all distances below some end.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"

namespace pe {

/// Of pairs at distances, on one thread.
inline constexpr double cosines_per_second = 4e9;

struct NegativeSums {
  std::optional<Index> first;  // none: B_m ≥ 0 everywhere
  Index negatives = 0;
  double minimum = 0;  // the nearest double
  Index at = 0;
};

/// B_m to 100 digits.
Real cosine_sum(const std::vector<Real>& frequencies, Index distance);

/// For every end, in rising order: of m = 0 … end − 1. A sign that double leaves open is decided to
/// 100 digits. `advance` is told which share is done, after every few million numbers.
std::vector<NegativeSums> negative_sums(const std::vector<Real>& frequencies,
                                        const std::vector<Index>& ends, int threads,
                                        const std::function<void(double share)>& advance);

}  // namespace pe
