// Whether the numbers of an array make sense one way round and not the other.
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
  // A half has too few exponents for wild numbers: those beyond a few hundred must do.
  const bool is_short = array.dtype == DType::f16;
  const double largest = is_short ? 256 : 1e5, smallest = is_short ? 0 : 1e-9,
               wild = is_short ? largest : 1e9, nothing_at_all = is_short ? 0 : 1e-18;
  Index odd = 0, odd_there = 0, nothing = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    // Infinities and NaN are tiny numbers from behind.
    if (here[i] == 0 || !std::isfinite(here[i])) {
      ++nothing;
      continue;
    }
    if (!is_plain(here[i], wild, nothing_at_all)) ++odd;
    if (!is_plain(there[i], largest, smallest)) ++odd_there;
  }
  return 8 * odd >= count - nothing && 4 * nothing <= 3 * count && 100 * odd_there <= count;
}

}  // namespace pe
