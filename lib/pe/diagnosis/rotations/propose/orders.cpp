// Rows in another order: blocks that hold other blocks' positions, and grids that are walked
// otherwise.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_set>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"
#include "pe/diagnosis/rotations/propose/positions.hpp"

namespace pe {
std::string spell_runs(const std::vector<double>& places) {
  std::string runs;
  std::size_t count = 0;
  for (std::size_t start = 0, i = 1; i <= places.size(); ++i) {
    if (i < places.size() && places[i] == places[i - 1] + 1) continue;
    const char* const comma = runs.empty() ? "" : ", ";
    const bool is_known = !std::isnan(places[start]);
    if (is_known && ++count <= 6)
      runs += i - start == 1 ? fmt::format("{}{} holds {:.15g}", comma, start, places[start])
                             : fmt::format("{}{}–{} hold {:.15g}–{:.15g}", comma, start, i - 1,
                                           places[start], places[i - 1]);
    start = i;
  }
  return count > 6 ? fmt::format("{} and {} runs more", runs, count - 6) : runs;
}

namespace {

std::size_t count_runs(const std::vector<double>& places) {
  std::size_t count = 1;
  for (std::size_t i = 1; i < places.size(); ++i) count += !(places[i] == places[i - 1] + 1);
  return count;
}

// A way through a grid: the axes from the slowest to the fastest, the last two in blocks.
struct Walk {
  std::vector<std::size_t> axes;
  Index block = 1;
};

using Spot = std::vector<double>;

// Every place of the grid on the way, as the coordinates say; nothing where they fill no grid, or
// it is walked in none of these ways.
std::optional<Walk> walk_of(const std::vector<Spot>& cells) {
  const std::size_t count = cells[0].size();
  std::vector<std::vector<double>> values(count);
  for (std::size_t axis = 0; axis < count; ++axis) {
    for (const Spot& cell : cells) values[axis].push_back(cell[axis]);
    std::ranges::sort(values[axis]);
    values[axis].erase(std::unique(values[axis].begin(), values[axis].end()), values[axis].end());
  }
  std::size_t product = 1;
  for (const auto& one : values) product *= one.size();
  if (product != cells.size()) return {};
  const auto index = [&](const Spot& cell, std::size_t axis) {
    return std::ranges::lower_bound(values[axis], cell[axis]) - values[axis].begin();
  };
  Walk walk{std::vector<std::size_t>(count)};
  const auto place_of = [&](const Spot& cell) {
    Index place = 0;
    for (std::size_t i = 0; i + 2 < count; ++i)
      place = place * std::ssize(values[walk.axes[i]]) + index(cell, walk.axes[i]);
    const std::size_t row = walk.axes[count - 2], column = walk.axes[count - 1];
    const Index rows = std::ssize(values[row]), columns = std::ssize(values[column]),
                r = index(cell, row), c = index(cell, column), block = walk.block;
    return place * rows * columns + (r / block * (columns / block) + c / block) * block * block +
           r % block * block + c % block;
  };
  for (const Index block : {1, 2, 4}) {
    walk.block = block;
    std::iota(walk.axes.begin(), walk.axes.end(), std::size_t{0});
    do {
      if (std::ssize(values[walk.axes[count - 1]]) % block != 0 ||
          std::ssize(values[walk.axes[count - 2]]) % block != 0)
        continue;
      std::size_t on = 0;
      while (on < cells.size() && place_of(cells[on]) == static_cast<Index>(on)) ++on;
      if (on == cells.size()) return walk;
    } while (std::ranges::next_permutation(walk.axes).found);
  }
  return {};
}

// In words that call the axes as the walk that is meant has them.
std::string spell(const Walk& walk, const Walk& meant) {
  if (walk.block > 1 && walk.axes == meant.axes)
    return fmt::format("in blocks of {0} x {0}", walk.block);
  if (walk.axes.size() == 2)
    return walk.axes == meant.axes ? "row after row" : "column after column";
  constexpr const char* names[] = {"frame", "row", "column"};
  std::vector<std::string> order;
  for (const std::size_t axis : walk.axes)
    order.emplace_back(names[std::ranges::find(meant.axes, axis) - meant.axes.begin()]);
  return fmt::format("by {} (slowest first)", fmt::join(order, ", "));
}

}  // namespace

// The cells that are meant, in another order: by the coordinates that the places were seen to have.
RotationProposals cells_permuted(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis, const Offsets& offsets) {
  const std::size_t count = offsets.size(), axes = offsets[0].size();
  if (observation.reading().per_axis || axes < 2 || axes > 3) return {};
  std::vector<Spot> meant, held;
  for (std::size_t place = 0; place < count; ++place) {
    meant.emplace_back();
    for (std::size_t axis = 0; axis < axes; ++axis)
      meant.back().push_back(
          hypothesis.position(observation.row_of_slot(static_cast<Index>(place)), axis));
    held.push_back(meant.back());
    for (std::size_t axis = 0; axis < axes; ++axis) held.back()[axis] += offsets[place][axis];
    if (std::ranges::any_of(held.back(), [](double x) { return std::isnan(x); })) return {};
  }
  std::map<Spot, std::vector<Index>> places;  // the last first
  for (std::size_t place = count; place-- > 0;)
    places[meant[place]].push_back(static_cast<Index>(place));
  auto moved = std::make_shared<std::vector<Index>>();
  for (const Spot& cell : held) {
    const auto found = places.find(cell);
    if (found == places.end() || found->second.empty()) return {};
    moved->push_back(found->second.back());
    found->second.pop_back();
  }
  if (std::ranges::is_sorted(*moved)) return {};
  const auto walk = walk_of(held), walk_meant = walk_of(meant);
  Proposal<RotationHypothesis> one{hypothesis, "", 1.05, Cause::rows_permuted};
  if (walk && walk_meant) {
    one.sentence = fmt::format("the grid is walked {}, where {} is meant",
                               spell(*walk, *walk_meant), spell(*walk_meant, *walk_meant));
    if (walk->axes != walk_meant->axes) one.cause = Cause::axes_swapped;
  } else {
    one.sentence = "cells stand in another order: " +
                   spell_runs(std::vector<double>(moved->begin(), moved->end()));
  }
  one.hypothesis.position = [before = hypothesis.position, moved, reading = observation.reading()](
                                Index row, std::size_t axis) {
    const Index slot = reading.slot(row), other = (*moved)[static_cast<std::size_t>(slot)];
    return before(row + (other - slot) * (reading.run > 0 ? reading.stride : 1), axis);
  };
  return {one};
}

// Blocks of rows that hold other blocks' positions: every place of the first run is asked where it
// stands.
RotationProposals permuted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  const Index most = hypothesis.frequencies == observation.truth().frequencies ? 1 << 18 : 1 << 12;
  if (!observation.has_rows() || observation.slots() > most || !hypothesis.axis.empty()) return {};
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  const auto odd = std::ranges::count_if(
      all, [](const ProbeSpot& one) { return std::fabs(one.implied - one.meant) > 0.25; });
  if (all.size() < observation.rows().size() * 3 / 4 || odd < 2) return {};
  const std::vector<std::int64_t>& listed = observation.expected().listed;
  const auto inside = [&](const ProbeSpot& one) {
    return !listed.empty() ||
           (one.implied > -0.5 && one.implied < static_cast<double>(observation.expected().position(
                                                    observation.slots())));
  };
  if (!std::ranges::all_of(all, inside)) return {};
  const auto start = static_cast<double>(observation.expected().first),
             step = static_cast<double>(observation.expected().step);
  const std::unordered_set<std::int64_t> known(listed.begin(), listed.end());
  const auto is_meant = [&](double p) {  // some row's position
    return listed.empty() ? (p - start) / step == std::round((p - start) / step)
                          : known.contains(static_cast<std::int64_t>(p));
  };
  std::vector<Index> rows;
  for (Index slot = 0; slot < observation.slots(); ++slot)
    rows.push_back(observation.row_of_slot(slot));
  auto places = std::make_shared<std::vector<double>>();
  std::unordered_set<double> held;  // whether a block is a permutation's shows long before the last
  Index unknown = 0;
  for (std::size_t first = 0; first < rows.size(); first += 1024) {
    const std::vector<Index> block(
        rows.begin() + static_cast<std::ptrdiff_t>(first),
        rows.begin() + static_cast<std::ptrdiff_t>(std::min(first + 1024, rows.size())));
    std::ranges::transform(observation.implied_positions(hypothesis, block),
                           std::back_inserter(*places), [](double p) { return std::round(p); });
    for (const double place : std::span(*places).subspan(first)) {
      if (std::isnan(place))
        ++unknown;
      else if (!is_meant(place) || !held.insert(place).second)
        return {};
    }
    if (10 * unknown > 2 * std::ssize(rows)) return {};
  }
  RotationHypothesis other = hypothesis;
  other.position = [places, before = hypothesis.position, reading = observation.reading()](
                       Index row, std::size_t axis) {
    const double place = (*places)[static_cast<std::size_t>(reading.slot(row))];
    return std::isnan(place) ? before(row, axis) : place;
  };
  const bool backwards = std::ranges::is_sorted(*places, std::greater{});
  const bool is_in_order = !listed.empty() && std::ranges::is_sorted(*places);
  return {{other,
           is_in_order ? "rows stand in the order of their positions, where the list has another"
           : backwards ? "rows stand in reverse order, the last one first"
                       : "rows stand in another order: " + spell_runs(*places),
           1.13 + std::min(0.3, 0.02 * static_cast<double>(count_runs(*places)))}};
}

// Rows of listed positions that stand at others, in few runs: boundaries of packed sequences that
// are one late.
RotationProposals listed_otherwise(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  constexpr std::size_t most_runs = 24, told_runs = 4;
  constexpr Index most = 1 << 14;
  if (observation.expected().listed.empty() || !observation.has_rows() ||
      !hypothesis.axis.empty() || observation.slots() > most)
    return {};
  std::vector<Index> rows;
  for (Index slot = 0; slot < observation.slots(); ++slot)
    rows.push_back(observation.row_of_slot(slot));
  auto places =
      std::make_shared<std::vector<double>>(observation.implied_positions(hypothesis, rows));
  struct Run {
    std::size_t first, last;
    double off;
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double& place = (*places)[i];
    const double meant = hypothesis.position(rows[i], 0), off = std::round(place - meant);
    if (std::isnan(place) || std::fabs(place - meant - off) > 0.25) return {};
    place = meant + off;
    if (off == 0) continue;
    if (!runs.empty() && runs.back().last + 1 == i && runs.back().off == off)
      runs.back().last = i;
    else
      runs.push_back({i, i, off});
    if (runs.size() > most_runs) return {};
  }
  if (runs.empty()) return {};
  std::string sentence;
  for (const auto& [first, last, off] : std::span(runs).first(std::min(runs.size(), told_runs))) {
    const double meant = hypothesis.position(rows[first], 0);
    sentence +=
        fmt::format("{}row{} {} hold{} {:.15g}{}, where {:.15g}{} {} meant",
                    sentence.empty() ? "" : "; ", first == last ? "" : "s",
                    first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last),
                    first == last ? "s" : "", meant + off, first == last ? "" : " and on", meant,
                    first == last ? "" : " and on", first == last ? "is" : "are");
  }
  if (runs.size() > told_runs)
    sentence += fmt::format("; {} more runs of rows hold others", runs.size() - told_runs);
  RotationHypothesis other = hypothesis;
  other.position = [places, reading = observation.reading()](Index row, std::size_t) {
    return (*places)[static_cast<std::size_t>(reading.slot(row))];
  };
  return {{std::move(other), sentence,
           1.1 + 0.04 * static_cast<double>(std::min<std::size_t>(runs.size(), 10)),
           Cause::position_jump}};
}

}  // namespace pe
