#include "pe/diagnosis/byte_order.hpp"

#include <algorithm>
#include <cmath>

namespace pe {
namespace {

// Numbers that an encoding, its vectors or a mask may hold.
bool is_plain(double value, double largest, double smallest) {
  const double magnitude = std::fabs(value);
  return value == 0 || (magnitude >= smallest && magnitude <= largest);
}

}  // namespace

bool has_bytes_reversed(const Stored& array) {
  constexpr Index most = 4096;
  if (is_integer(array.dtype) || array.size() < 16) return false;
  const Index count = std::min(most, array.size()), first = (array.size() - count) / 2;
  std::vector<double> here(static_cast<std::size_t>(count)), there(here.size());
  array.read(first, count, here.data());
  with_bytes_reversed(array).read(first, count, there.data());
  const bool is_short = array.dtype == DType::f16;
  const double largest = is_short ? 256 : 1e5, smallest = is_short ? 1e-4 : 1e-9;
  Index odd = 0, odd_there = 0, nothing = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i] == 0) ++nothing;
    if (!is_plain(here[i], largest * 1e4, smallest * 1e-9) &&
        !(std::isinf(here[i]) && here[i] < 0))  // a mask's
      ++odd;
    if (!is_plain(there[i], largest, smallest)) ++odd_there;
  }
  return 8 * odd >= count - nothing && odd > 0 && 100 * odd_there <= count;
}

}  // namespace pe
