// What base-bound writes for others to check: its steps, each with the bounds that prove it.
#pragma once

#include <span>
#include <string>

#include "pe/analyze/base_bound/base_sweep.hpp"

namespace pe {

struct BaseClaim {
  Index length = 0, end = 0;  // distances 0 … end − 1
  double base = 0, safe = 0;
  BaseSweep sweep;
};

/// JSON. Claims in rising order of their lengths: the steps of one hold for the next, too, and are
/// written once.
std::string base_certificate(const BaseSums& sums, std::span<const BaseClaim> claims);

}  // namespace pe
