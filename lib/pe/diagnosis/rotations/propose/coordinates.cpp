// Measuring coordinates and ladders axis by axis.
#include "pe/diagnosis/rotations/propose/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

#include "pe/diagnosis/causes.hpp"

namespace pe {

std::size_t axes_of(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  if (observation.reading().per_axis)
    return static_cast<std::size_t>(observation.reading().rows / observation.reading().run);
  return hypothesis.axes();
}

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Rounding of both sides of a turn, u/2 each of values up to 1, moves its phase by u/√2 at most,
// and vectors' 4√2 u in both by 8 u; the coordinate by as much over the frequency. A quarter
// decides between halves.
bool is_sharp(const RotationObservation& observation, const RotationHypothesis& hypothesis,
              std::size_t axis) {
  double fastest = 0;
  for (std::size_t j = 0; j < observation.pairs(); ++j)
    if (hypothesis.axis.empty() || hypothesis.axis[j] == axis)
      fastest = std::max(fastest, hypothesis.frequencies[j]);
  const double times = observation.reading().is_vectors() ? 8 : 1;
  return times * (observation.grain() + 0x1p-24) < 0.25 * fastest;
}

// A row that agrees with no whole or half coordinate goes with its neighbour; of cosines alone
// those near a crest tell little. False where most rows do.
bool fill_gaps(Offsets& offsets, std::size_t axis) {
  std::size_t gaps = 0;
  double last = unknown;
  for (const auto& one : offsets)
    if (std::isnan(last)) last = one[axis];
  for (auto& one : offsets) {
    if (std::isnan(one[axis])) {
      ++gaps;
      one[axis] = last;
    }
    last = one[axis];
  }
  return 2 * gaps < offsets.size();
}

// How many whole or half coordinates each row lies from the one that is meant; unknown for those
// that agree with none.
std::vector<double> halves_off(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis, const std::vector<Index>& rows,
                               std::size_t axis) {
  std::vector<double> all = observation.implied_positions(hypothesis, rows, axis);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double off = all[i] - hypothesis.position(rows[i], axis),
                 nearest = std::round(2 * off) / 2;
    all[i] = std::fabs(off - nearest) < 0.2 ? nearest : unknown;
  }
  return all;
}

// Of a few rows hardly any agrees with a coordinate: of all of them not half does.
bool stands_nowhere(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                    const std::vector<Index>& rows, std::size_t axis) {
  constexpr std::size_t few = 24;
  if (rows.size() <= 2 * few) return false;
  std::vector<Index> some;
  for (std::size_t i = 0; i < few; ++i) some.push_back(rows[i * (rows.size() - 1) / (few - 1)]);
  const auto off = halves_off(observation, hypothesis, some, axis);
  return 6 * std::ranges::count_if(off, [](double x) { return !std::isnan(x); }) <
         static_cast<std::ptrdiff_t>(few);
}

// Offsets at all places; empty where they cannot be told.
Offsets offsets_of(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  constexpr Index most = 1 << 14;
  const bool tables = observation.reading().per_axis;
  const Index count = observation.slots();
  if (count > most) return {};
  Offsets offsets(static_cast<std::size_t>(count),
                  std::vector(axes_of(observation, hypothesis), unknown));
  for (std::size_t axis = 0; axis < offsets[0].size(); ++axis) {
    const std::size_t column = tables ? 0 : axis;
    if (!is_sharp(observation, hypothesis, column)) continue;
    std::vector<Index> rows;
    for (Index place = 0; place < count; ++place)
      rows.push_back(tables ? static_cast<Index>(axis) * count + place
                            : observation.row_of_slot(place));
    if (stands_nowhere(observation, hypothesis, rows, column)) return {};
    const auto off = halves_off(observation, hypothesis, rows, column);
    for (std::size_t i = 0; i < rows.size(); ++i) offsets[i][axis] = off[i];
    if (!fill_gaps(offsets, axis)) return {};
  }
  return offsets;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Places [first, last) whose coordinates are off by the same.
struct Stretch {
  std::size_t first, last;
  std::vector<double> off;

  bool is_meant() const {
    return std::ranges::all_of(off, [](double x) { return x == 0; });
  }
  bool is_even() const {
    return std::ranges::all_of(off, [&](double x) { return x == off[0]; });
  }
};

std::vector<Stretch> stretches_of(const Offsets& offsets) {
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (all.empty() || !std::ranges::equal(all.back().off, offsets[i], is_same))
      all.push_back({i, i, offsets[i]});
    all.back().last = i + 1;
  }
  return all;
}

// How far neighbours on a grid are apart: 1 where cells are counted, 2 where their middles are
// halves.
double cell_of(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  double least = HUGE_VAL;
  const Index count = std::min<Index>(observation.slots(), 1 << 10);
  for (Index place = 1; place < count; ++place)
    for (std::size_t axis = 0; axis < axes_of(observation, hypothesis); ++axis)
      if (const double step =
              std::fabs(hypothesis.position(observation.row_of_slot(place), axis) -
                        hypothesis.position(observation.row_of_slot(place - 1), axis));
          step > 0)
        least = std::min(least, step);
  return std::isfinite(least) ? least : 1;
}

// By how many cells each row stands on, where it is one number for all whose cell the grid has; 0
// where it is none.
Index cells_on(const RotationObservation& observation, const RotationHypothesis& hypothesis,
               const Offsets& offsets) {
  const bool tables = observation.reading().per_axis;
  const auto count = static_cast<Index>(offsets.size());
  const auto meant = [&](Index place, std::size_t axis) {
    return tables ? hypothesis.position(static_cast<Index>(axis) * count + place, 0)
                  : hypothesis.position(observation.row_of_slot(place), axis);
  };
  const auto stands_on = [&](Index by) {
    for (Index place = std::max<Index>(0, -by); place < std::min(count, count - by); ++place)
      for (std::size_t axis = 0; axis < offsets[0].size(); ++axis) {
        const double off = offsets[static_cast<std::size_t>(place)][axis];
        if (!std::isnan(off) && off != meant(place + by, axis) - meant(place, axis)) return false;
      }
    return true;
  };
  for (Index by = 1; by <= std::min<Index>(64, count / 2); ++by) {
    if (stands_on(by)) return by;
    if (stands_on(-by)) return -by;
  }
  return 0;
}

std::string spell(const Stretch& stretch, double cell) {
  if (stretch.is_even() && cell != 1)
    return fmt::format("every coordinate is {:+.15g} of a patch off", stretch.off[0] / cell);
  if (stretch.is_even()) return fmt::format("every coordinate is {:+.15g} off", stretch.off[0]);
  std::string text;
  for (std::size_t axis = 0; axis < stretch.off.size(); ++axis)
    if (stretch.off[axis] != 0)
      text += fmt::format("{}that of axis {} is {:+.15g} off", text.empty() ? "" : " and ", axis,
                          stretch.off[axis]);
  return text;
}

std::string spell(const std::vector<Stretch>& all, double cell) {
  constexpr std::size_t most = 3;
  std::string text;
  std::size_t count = 0;
  for (const Stretch& one : all) {
    if (one.is_meant() || ++count > most) continue;
    text += text.empty() ? "" : "; ";
    text += all.size() == 1
                ? spell(one, cell)
                : fmt::format("rows {}–{}: {}", one.first, one.last - 1, spell(one, cell));
  }
  return count > most ? fmt::format("{}; and {} stretches more", text, count - most) : text;
}

Proposal<RotationHypothesis> moved(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis, Offsets offsets) {
  const std::vector<Stretch> all = stretches_of(offsets);
  const bool whole = all.size() == 1;
  const double cell = cell_of(observation, hypothesis);
  Proposal<RotationHypothesis> one{hypothesis, spell(all, cell), whole ? 1 : 1.1};
  if (whole && all[0].is_even() && cell == 1) one.cause = Cause::position_offset;
  if (const Index by = whole ? 0 : cells_on(observation, hypothesis, offsets)) {
    one.cause = Cause::row_offset;
    one.cost = 1;
    one.sentence = fmt::format("each row holds the cell {} {} its own", std::abs(by),
                               by > 0 ? "after" : "before");
  }
  one.hypothesis.position = [before = hypothesis.position,
                             offsets = std::make_shared<const Offsets>(std::move(offsets)),
                             reading = observation.reading()](Index row, std::size_t axis) {
    const auto place = static_cast<std::size_t>(reading.slot(row)),
               column = reading.per_axis ? static_cast<std::size_t>(row / reading.run) : axis;
    return before(row, axis) + (*offsets)[place][column];
  };
  return one;
}

}  // namespace

// Fewer stretches than half of the rows that are off: a shift has its reason, and damage is not
// excused row by row.
RotationProposals coordinates_elsewhere(const RotationObservation& observation,
                                        const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const bool has_coordinates = !hypothesis.axis.empty() || axes_of(observation, hypothesis) > 1;
  if (!has_coordinates || !observation.has_rows()) return all;
  const Offsets offsets = offsets_of(observation, hypothesis);
  if (offsets.empty()) return all;
  std::size_t off = 0, last = 0;  // last: an axis that is known
  for (const auto& one : offsets)
    off += std::ranges::any_of(one, [](double x) { return x != 0 && !std::isnan(x); });
  while (last < offsets[0].size() && std::isnan(offsets[0][last])) ++last;
  for (std::size_t axis = last; axis < offsets[0].size(); ++axis)
    if (!std::isnan(offsets[0][axis])) last = axis;
  if (off == 0) return all;
  all = cells_permuted(observation, hypothesis, offsets);
  std::ranges::move(held_rows(observation, hypothesis, offsets), std::back_inserter(all));
  std::ranges::move(axes_by_rule(observation, hypothesis, offsets), std::back_inserter(all));
  if (2 * stretches_of(offsets).size() > std::max<std::size_t>(off, 4) &&
      cells_on(observation, hypothesis, offsets) == 0)
    return all;
  // Behind another cause, which left rows wrong that were right, they would excuse what it spoilt.
  constexpr std::size_t most_behind = 3;
  const auto spoilt =
      std::ranges::count_if(stretches_of(offsets), [](const auto& one) { return !one.is_meant(); });
  if (static_cast<std::size_t>(spoilt) > most_behind &&
      !observation.are_one(hypothesis, observation.start()))
    return all;
  // What a slow axis cannot tell: that it goes with another, or that it stays.
  const bool is_open = std::ranges::any_of(offsets[0], [](double x) { return std::isnan(x); });
  for (const bool goes : {true, false}) {
    if (!goes && !is_open) break;
    Offsets filled = offsets;
    for (auto& one : filled)
      for (double& x : one)
        if (std::isnan(x)) x = goes ? one[last] : 0;
    all.push_back(moved(observation, hypothesis, std::move(filled)));
  }
  return all;
}

}  // namespace pe
