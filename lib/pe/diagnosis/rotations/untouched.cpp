// Rows that are the same before and after, in every channel, and channels that are in every row.
#include "pe/diagnosis/rotations/untouched.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/marks.hpp"
#include "pe/diagnosis/rotations/rewritten.hpp"
#include "pe/diagnosis/spelled.hpp"

namespace pe {
namespace {

// Whether a row is the same before and after. Zeros are that wherever they turn, and tell nothing.
enum class AsItWas : char { other, same, zeros };

std::vector<AsItWas> rows_as_they_were(const Dump& dump, const RotationReading& reading) {
  std::vector<AsItWas> rows(static_cast<std::size_t>(reading.rows), AsItWas::other);
  std::vector<double> before(static_cast<std::size_t>(reading.width)), after = before;
  for (Index row = 0; row < reading.rows; ++row) {
    dump.before[0].read(row * reading.width, reading.width, before.data());
    dump.arrays[0].read(row * reading.width, reading.width, after.data());
    if (before == after)
      rows[static_cast<std::size_t>(row)] =
          std::ranges::all_of(before, [](double value) { return value == 0; }) ? AsItWas::zeros
                                                                               : AsItWas::same;
  }
  return rows;
}

// The entries of an axis whose rows all are marked, where no other row is, those aside that stand
// at position 0; else nothing.
std::set<Index> whole_entries(const Expectation& expected, const RotationReading& reading,
                              const RowMarks& marks, const std::vector<AsItWas>& rows,
                              std::size_t axis) {
  std::set<Index> entries, others;
  for (Index row = 0; row < reading.rows; ++row)
    if (expected.position(reading.slot(row)) != 0 &&
        rows[static_cast<std::size_t>(row)] != AsItWas::zeros)
      (marks.marked[static_cast<std::size_t>(row)] ? entries : others)
          .insert(reading.along(row, axis));
  const bool is_whole = std::ranges::none_of(others, [&](Index i) { return entries.contains(i); });
  return is_whole ? entries : std::set<Index>{};
}

// At position 0 every vector is what it was.
Reason told_of(const Expectation& expected, const RotationReading& reading,
               const std::vector<AsItWas>& rows) {
  RowMarks marks(reading.rows);
  for (Index row = 0; row < reading.rows; ++row) {
    if (rows[static_cast<std::size_t>(row)] != AsItWas::same ||
        expected.position(reading.slot(row)) == 0)
      continue;
    marks.marked[static_cast<std::size_t>(row)] = 1;
    if (marks.count++ == 0) marks.first = row;
    marks.last = row;
  }
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis)
    if (axis != reading.axis && reading.extents[axis] > 1)
      if (const auto entries = whole_entries(expected, reading, marks, rows, axis);
          !entries.empty())
        return {Cause::heads_not_rotated,
                fmt::format("{}{} {} {} not turned", name_of_axis(reading, axis),
                            entries.size() > 1 ? "s" : "", fmt::join(entries, ", "),
                            entries.size() > 1 ? "are" : "is")};
  return {Cause::rows_not_rotated,
          fmt::format("{} {} not turned", spell_rows(expected, reading, marks),
                      marks.count == 1 ? "is" : "are")};
}

// The channels that are the same before and after in every row.
std::vector<char> untouched_channels(const Dump& dump, const RotationReading& reading) {
  const auto width = static_cast<std::size_t>(reading.width);
  std::vector<char> same(width, 1);
  std::vector<double> before(width), after(width);
  for (Index row = 0; row < reading.rows; ++row) {
    dump.before[0].read(row * reading.width, reading.width, before.data());
    dump.arrays[0].read(row * reading.width, reading.width, after.data());
    bool any = false;
    for (std::size_t k = 0; k < width; ++k) {
      same[k] = same[k] && before[k] == after[k];
      any = any || same[k];
    }
    if (!any) break;
  }
  return same;
}

}  // namespace

std::optional<RestoredDump> without_untouched(const Expectation& expected, const Dump& dump,
                                              const RotationReading& reading) {
  constexpr Index most_rows = Index{1} << 22;
  if (reading.rows > most_rows) return {};
  auto rows = std::make_shared<std::vector<AsItWas>>(rows_as_they_were(dump, reading));
  Index count = 0;  // that should turn
  for (Index row = 0; row < reading.rows; ++row)
    count += (*rows)[static_cast<std::size_t>(row)] == AsItWas::same &&
             expected.position(reading.slot(row)) != 0;
  if (count == 0 || 4 * count > 3 * reading.rows) return {};
  const auto open = [rows, width = reading.width](Index row, const double*, double* y) {
    if ((*rows)[static_cast<std::size_t>(row)] == AsItWas::same)
      std::fill_n(y, width, std::numeric_limits<double>::quiet_NaN());
  };
  return RestoredDump{{{rewritten(dump, reading.width, open)}, dump.before, true},
                      told_of(expected, reading, *rows),
                      0,
                      0};
}

std::optional<RestoredDump> without_untouched_pairs(const Dump& dump,
                                                    const RotationReading& reading,
                                                    const std::vector<double>& reaches,
                                                    double amplitude) {
  const double seen = 4 * std::max(unit_roundoff(dump.arrays[0].dtype), unit_roundoff(DType::f32));
  const std::vector<char> same = untouched_channels(dump, reading);
  std::vector<Index> pairs, channels;
  for (Index j = 0; j < reading.pairs; ++j) {
    const PairChannels at = channels_of(reading, j);
    const bool left = std::ranges::all_of(
        at.out, [&](Index channel) { return same[static_cast<std::size_t>(channel)] != 0; });
    if (!left) continue;
    // Slower ones, too, may be left: what is held of them is nothing.
    channels.insert(channels.end(), at.out.begin(), at.out.end());
    if (std::max(reaches[static_cast<std::size_t>(j)], std::fabs(amplitude - 1)) >= seen)
      pairs.push_back(j);
  }
  if (pairs.empty() || 4 * std::ssize(pairs) > 3 * reading.pairs) return {};
  const auto open = [channels](Index, const double*, double* y) {
    for (const Index channel : channels) y[channel] = std::numeric_limits<double>::quiet_NaN();
  };
  return RestoredDump{
      {{rewritten(dump, reading.width, open)}, dump.before, true},
      {Cause::channels_not_rotated,
       fmt::format("{} {} of every vector {} left as {} before",
                   pairs.size() == 1 ? "pair" : "pairs", spell_numbers(pairs),
                   pairs.size() == 1 ? "is" : "are", pairs.size() == 1 ? "it was" : "they were")},
      0,
      0};
}

}  // namespace pe
