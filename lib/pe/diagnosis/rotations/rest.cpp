// The rest of each vector before and after.
#include "pe/diagnosis/rotations/rest.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/base/spread.hpp"

namespace pe {
namespace {

// As it was, in the type that the vectors have afterwards.
bool is_passed(double before, double after, DType type) {
  return after == before || after == rounded_once(before, type);
}

}  // namespace

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
      if (!is_passed(before[at], after[at], dump.arrays[0].dtype) &&
          !(std::isnan(after[at]) && std::isnan(before[at])) &&
          !(dump.has_gaps && !std::isfinite(after[at])))
        changed.push_back({first + r, k, before[at], after[at]});
    }
  return changed;
}

// Rows all over the dump: slow pairs move late, and some rows are not turned.
Index changed_channels(const Dump& dump) {
  constexpr Index most = 256;
  const Index width = dump.arrays[0].shape.back(),
              rows = dump.arrays[0].size() / std::max<Index>(1, width);
  std::vector<double> before(static_cast<std::size_t>(width)), after = before;
  Index first = width, end = 0;
  for (const Index row : spread_over(rows, most)) {
    dump.before[0].read(row * width, width, before.data());
    dump.arrays[0].read(row * width, width, after.data());
    for (Index k = 0; k < width; ++k)
      if (!is_passed(before[static_cast<std::size_t>(k)], after[static_cast<std::size_t>(k)],
                     dump.arrays[0].dtype)) {
        first = std::min(first, k);
        end = std::max(end, k + 1);
      }
  }
  return end == 0 ? 0 : end == width ? width - first : end;
}

}  // namespace pe
