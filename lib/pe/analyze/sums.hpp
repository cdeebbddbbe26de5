// Sums Σ_j cos(mθ_j) over every distance m below some length: how many are negative, and where.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"

namespace pe {

struct Sums {
  std::optional<Index> first;  // negative; none: the sums are not below zero anywhere
  Index negatives = 0;
  double minimum = 0;
  Index at = 0;
};

/// Of m = 0 … length − 1. A sign that double leaves open is decided by Real. `advance` is told
/// which share is done.
Sums sums_below(const std::vector<Real>& frequencies, Index length, int threads,
                const std::function<void(double share)>& advance);

/// How far `minimum` may be from the true one.
double sums_error(Index pairs);

}  // namespace pe
