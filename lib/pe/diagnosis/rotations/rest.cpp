// The rest of each vector before and after.
#include "pe/diagnosis/rotations/rest.hpp"

#include <cmath>

namespace pe {

std::vector<RestCell> changed_rest(const Dump& dump, const RotationReading& reading, Index first,
                                   Index count) {
  const Index width = reading.width;
  std::vector<RestCell> changed;
  if (!reading.is_vectors() || 2 * reading.pairs >= width) return changed;
  std::vector<double> before(static_cast<std::size_t>(count * width)), after = before;
  dump.before[0].read(first * width, count * width, before.data());
  dump.arrays[0].read(first * width, count * width, after.data());
  for (Index r = 0; r < count; ++r)
    for (Index k = 0; k < width; ++k) {
      if (turns(reading, k)) continue;
      const auto at = static_cast<std::size_t>(r * width + k);
      if (after[at] != before[at] && !(std::isnan(after[at]) && std::isnan(before[at])))
        changed.push_back({first + r, k, before[at], after[at]});
    }
  return changed;
}

}  // namespace pe
