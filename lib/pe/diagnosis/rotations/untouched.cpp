// Rows that are the same before and after, in every channel.
#include "pe/diagnosis/rotations/untouched.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/rewritten.hpp"

namespace pe {
namespace {

std::vector<char> untouched_rows(const Dump& dump, const RotationReading& reading) {
  std::vector<char> same(static_cast<std::size_t>(reading.rows));
  std::vector<double> before(static_cast<std::size_t>(reading.width)), after = before;
  for (Index row = 0; row < reading.rows; ++row) {
    dump.before[0].read(row * reading.width, reading.width, before.data());
    dump.arrays[0].read(row * reading.width, reading.width, after.data());
    same[static_cast<std::size_t>(row)] = before == after;
  }
  return same;
}

// The entries of an axis whose rows all are marked, where no other row is; else nothing.
std::set<Index> whole_entries(const std::vector<char>& marked, const RotationReading& reading,
                              std::size_t axis) {
  std::set<Index> entries, others;
  for (Index row = 0; row < reading.rows; ++row)
    (marked[static_cast<std::size_t>(row)] ? entries : others).insert(reading.along(row, axis));
  const bool is_whole = std::ranges::none_of(others, [&](Index i) { return entries.contains(i); });
  return is_whole ? entries : std::set<Index>{};
}

Reason told_of(const std::vector<char>& marked, const RotationReading& reading) {
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis)
    if (axis != reading.axis && reading.extents[axis] > 1)
      if (const auto entries = whole_entries(marked, reading, axis); !entries.empty())
        return {Cause::heads_not_rotated,
                fmt::format("{}s {} are not turned", name_of_axis(reading, axis),
                            fmt::join(entries, ", "))};
  const auto first = std::ranges::find(marked, char{1}) - marked.begin(),
             end = std::find(marked.rbegin(), marked.rend(), char{1}).base() - marked.begin();
  return {Cause::rows_not_rotated,
          fmt::format("{} rows from {} to {} are not turned", std::ranges::count(marked, char{1}),
                      first, end - 1)};
}

}  // namespace

std::optional<RestoredDump> without_untouched(const Dump& dump, const RotationReading& reading) {
  constexpr Index most_rows = Index{1} << 22;
  if (reading.rows > most_rows) return {};
  auto rows = std::make_shared<std::vector<char>>(untouched_rows(dump, reading));
  const Index count = std::ranges::count(*rows, char{1});
  if (count == 0 || 4 * count > 3 * reading.rows) return {};
  const auto open = [rows, width = reading.width](Index row, const double*, double* y) {
    if ((*rows)[static_cast<std::size_t>(row)])
      std::fill_n(y, width, std::numeric_limits<double>::quiet_NaN());
  };
  return RestoredDump{
      {{rewritten(dump, reading.width, open)}, dump.before, true}, told_of(*rows, reading), 0, 0};
}

}  // namespace pe
