// Where things stand: an arithmetic run of positions, exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pe/base/dtype.hpp"

namespace pe {

/// The positions (first + i·step) / 10^decimals for i = 0 … count−1. `decimals` is 0 for whole
/// positions; a real run such as 0:2:0.25 is first 0, step 25, decimals 2, so nothing is ever
/// rounded.
struct PositionRange {
  std::int64_t first = 0;
  std::int64_t step = 1;
  Index count = 0;
  int decimals = 0;

  /// first + i·step, to be divided by 10^decimals.
  std::int64_t at(Index i) const { return first + i * step; }
  /// The position as a double (exact while |at(i)| ≤ 2^53 and decimals is 0).
  double value(Index i) const;
  /// The run's part of `length` positions from index `start`.
  PositionRange slice(Index start, Index length) const {
    return {at(start), step, length, decimals};
  }
  /// One more than the largest whole position that the run reaches; 0 for a run below zero.
  Index length() const;

  friend bool operator==(const PositionRange&, const PositionRange&) = default;
};

/// 0 … length−1.
inline PositionRange first_positions(Index length) { return {0, 1, length, 0}; }

/// START:STOP[:STEP], half-open, whole or decimal. Throws UsageError; positions beyond 2^53 in
/// magnitude, empty runs and a zero step are refused.
PositionRange parse_positions(std::string_view text);

/// "0:100" or "0:10:0.5".
std::string spell(const PositionRange& positions);

}  // namespace pe
