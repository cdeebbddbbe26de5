// The likelier ways to put vectors right first.
#include "pe/diagnosis/rotations/norms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/narrow.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/rotations/lengths/growth.hpp"
#include "pe/diagnosis/rotations/lengths/order.hpp"

namespace pe {
namespace {

// More lengths than these are not held.
constexpr Index most_rows = Index{1} << 20;

// What the channels that turn were multiplied by, as all vectors together say, in whatever order.
double common_magnitude(const Dump& dump, const RotationReading& reading) {
  const auto size = [&](const Stored& array) {
    const std::vector<double> all = lengths_of(array, reading, 0, reading.rows, 1, 0);
    return std::sqrt(std::inner_product(all.begin(), all.end(), all.begin(), 0.0));
  };
  return size(dump.arrays[0]) / size(dump.before[0]);
}

}  // namespace

bool keep_lengths(const Dump& dump, const RotationReading& reading, double magnitude) {
  constexpr Index most = 64;
  const double near = 4 * unit_roundoff(DType::bf16);
  for (const Index row : spread_over(reading.rows, most)) {
    const double before = lengths_of(dump.before[0], reading, row, row + 1, magnitude)[0],
                 after = lengths_of(dump.arrays[0], reading, row, row + 1)[0];
    if (!(std::fabs(after - before) <= near * std::max(before, after))) return false;
  }
  return true;
}

std::optional<RestoredDump> restored_by_own_lengths(const Dump& dump,
                                                    const RotationReading& reading) {
  constexpr Index least_pairs = 4;
  if (reading.rows > most_rows || reading.pairs < least_pairs) return {};
  return grown_each(Lengths(dump, reading, 1));
}

std::vector<RestoredDump> restored_by_norms(const Dump& dump, const RotationReading& reading,
                                            double magnitude) {
  if (reading.rows > most_rows || reading.rows < 2) return {};
  const auto type = type_of_numbers(dump.arrays[0]);
  const Dump as_made =
      type ? Dump{{narrowed(dump.arrays[0], *type)}, {narrowed(dump.before[0], *type)}} : dump;
  for (const double by : {magnitude, common_magnitude(as_made, reading)}) {
    if (!std::isfinite(by)) continue;
    const Lengths lengths(as_made, reading, by);
    if (lengths.are_kept()) return {};
    if (auto alike = grown(lengths)) return {std::move(*alike)};
    if (auto apart = grown_apart(lengths)) return {std::move(*apart)};
    if (auto moved = ordered_otherwise(lengths); !moved.empty()) return moved;
  }
  return {};
}

}  // namespace pe
