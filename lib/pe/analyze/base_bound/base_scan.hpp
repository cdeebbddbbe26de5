// All sums B_m at one base at once: those that may be negative near it, and those that surely are.
#pragma once

#include <vector>

#include "pe/analyze/base_bound/base_sums.hpp"

namespace pe {

/// What can be said of every base e^(u ± half).
struct BaseScan {
  std::vector<Index> uncertain;  // B_m may change its sign; all others are positive
  std::vector<Index> negative;   // a few that are negative at u, the longest so first
  bool bad = false;              // the first of these is negative all over; nothing else was asked
};

/// Of distances from `first` (a multiple of the block) to end − 1.
BaseScan scan_base(const BaseSums& sums, double u, double half, Index first, Index end);

}  // namespace pe
