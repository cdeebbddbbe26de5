// Some of many, spread over all of them in no step that an axis of theirs could share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pe/base/dtype.hpp"

namespace pe {

/// At most `most` (at least 3) of 0 … count−1, descending: the last, the first, and one of each
/// equal part between them, which stands wherever a hash of the part's number says: every second
/// of 6 heads is every third row of some dump, and a regular step would never see the others.
inline std::vector<Index> spread_over(Index count, Index most) {
  std::vector<Index> chosen;
  if (count <= most) {
    for (Index i = count; i-- > 0;) chosen.push_back(i);
    return chosen;
  }
  const Index parts = most - 2, inner = count - 2;
  chosen.push_back(count - 1);
  for (Index k = parts; k-- > 0;) {
    const Index first = 1 + k * inner / parts, end = 1 + (k + 1) * inner / parts;
    auto hash = static_cast<std::uint64_t>(k + 1) * 0x9e3779b97f4a7c15;  // of splitmix64
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
    chosen.push_back(
        first + static_cast<Index>((hash ^ hash >> 31) % static_cast<std::uint64_t>(end - first)));
  }
  chosen.push_back(0);
  return chosen;
}

}  // namespace pe
