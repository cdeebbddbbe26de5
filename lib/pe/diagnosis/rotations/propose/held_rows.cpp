// Rows of a grid that hold those of other rows, where most stand as they are meant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"

namespace pe {
namespace {

// Rows [first, last) that hold those so many rows further on.
struct HeldRun {
  Index first, last, by;
};

using GridCell = std::vector<double>;

// Where each row's cell is meant, and the cells that some rows hold in their place, as far as their
// coordinates are known.
class Cells {
 public:
  Cells(const RotationObservation& observation, const RotationHypothesis& hypothesis,
        Kept<Offsets> offsets)
      : offsets_(offsets) {
    for (Index place = 0; place < std::ssize(offsets_); ++place) {
      GridCell cell;
      for (std::size_t axis = 0; axis < offsets_[0].size(); ++axis)
        cell.push_back(hypothesis.position(observation.row_of_slot(place), axis));
      rows_[cell].push_back(place);
      meant_.push_back(std::move(cell));
    }
  }
  bool is_off(Index place) const {
    return std::ranges::any_of(off(place), [](double x) { return x != 0 && !std::isnan(x); });
  }
  bool holds(Index place, Index by) const {
    if (place + by < 0 || place + by >= std::ssize(meant_)) return false;
    return std::ranges::equal(cell(place + by), held(place), [](double there, double here) {
      return there == here || std::isnan(here);
    });
  }
  bool are_all_known() const {
    return std::ranges::all_of(offsets_, [](const auto& one) {
      return std::ranges::none_of(one, [](double x) { return std::isnan(x); });
    });
  }
  /// To the nearest row whose cell this one holds; nothing where none has it.
  std::optional<Index> nearest(Index place) const {
    const auto found = rows_.find(held(place));
    if (found == rows_.end()) return {};
    const Index row = *std::ranges::min_element(
        found->second, {}, [&](Index other) { return std::abs(other - place); });
    return row - place;
  }

 private:
  const GridCell& off(Index place) const { return offsets_[static_cast<std::size_t>(place)]; }
  const GridCell& cell(Index place) const { return meant_[static_cast<std::size_t>(place)]; }
  GridCell held(Index place) const {
    GridCell sum = cell(place);
    for (std::size_t axis = 0; axis < sum.size(); ++axis) sum[axis] += off(place)[axis];
    return sum;
  }

  const Offsets& offsets_;
  std::vector<GridCell> meant_;
  std::map<GridCell, std::vector<Index>> rows_;
};

std::string spell(const HeldRun& run) {
  if (run.last == run.first + 1)
    return fmt::format("row {} holds that of row {}", run.first, run.first + run.by);
  return fmt::format("rows {}–{} hold those of rows {}–{}", run.first, run.last - 1,
                     run.first + run.by, run.last - 1 + run.by);
}

}  // namespace

namespace {

// Runs of rows that hold the nearest ones that have their cells; empty where they are many.
std::vector<HeldRun> runs_of_known(const Cells& cells, const std::vector<Index>& off) {
  constexpr std::size_t most_runs = 3;
  std::vector<HeldRun> runs;
  for (const Index place : off) {
    if (!runs.empty() && runs.back().last == place && cells.holds(place, runs.back().by)) {
      ++runs.back().last;
      continue;
    }
    const auto by = cells.nearest(place);
    if (!by || runs.size() == most_runs) return {};
    runs.push_back({place, place + 1, *by});
  }
  const bool are_scattered = runs.size() > 1 && 2 * runs.size() > off.size();
  return are_scattered ? std::vector<HeldRun>{} : runs;
}

// Where a coordinate is not known one run may be any of several.
std::vector<std::vector<HeldRun>> runs_of_some(const Cells& cells, const std::vector<Index>& off,
                                               Index count) {
  constexpr std::size_t most = 32;
  std::vector<std::vector<HeldRun>> all;
  const Index first = off.front(), last = off.back() + 1;
  if (last - first != std::ssize(off)) return {};
  for (Index row = 0; row < count && all.size() < most; ++row)
    if (row != first &&
        std::ranges::all_of(off, [&](Index place) { return cells.holds(place, row - first); }))
      all.push_back({{first, last, row - first}});
  return all;
}

Proposal<RotationHypothesis> holding(const RotationObservation& observation,
                                     const RotationHypothesis& hypothesis,
                                     const std::vector<HeldRun>& runs) {
  std::vector<std::string> sentences;
  for (const HeldRun& run : runs) sentences.push_back(spell(run));
  Proposal<RotationHypothesis> one{
      hypothesis, fmt::format("{}; the others are right", fmt::join(sentences, ", ")), 1,
      Cause::position_jump};
  one.hypothesis.position = [before = hypothesis.position, runs, reading = observation.reading()](
                                Index row, std::size_t axis) {
    const Index place = reading.slot(row);
    for (const HeldRun& run : runs)
      if (place >= run.first && place < run.last)
        return before(row + run.by * std::max<Index>(1, reading.stride), axis);
    return before(row, axis);
  };
  return one;
}

}  // namespace

RotationProposals held_rows(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis, const Offsets& offsets) {
  if (observation.reading().per_axis || offsets.empty()) return {};
  const Cells cells(observation, hypothesis, offsets);
  std::vector<Index> off;
  for (Index place = 0; place < std::ssize(offsets); ++place)
    if (cells.is_off(place)) off.push_back(place);
  if (off.empty() || 4 * off.size() > offsets.size()) return {};
  RotationProposals all;
  if (cells.are_all_known()) {
    const auto runs = runs_of_known(cells, off);
    if (!runs.empty()) all.push_back(holding(observation, hypothesis, runs));
  } else {
    for (const auto& runs : runs_of_some(cells, off, std::ssize(offsets)))
      all.push_back(holding(observation, hypothesis, runs));
  }
  return all;
}

}  // namespace pe
