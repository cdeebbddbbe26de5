// The middle one of some numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pe {

/// The middle one in order, the upper of two; `fallback` where there are none.
inline double median_of(std::vector<double> values, double fallback = 0) {
  if (values.empty()) return fallback;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace pe
