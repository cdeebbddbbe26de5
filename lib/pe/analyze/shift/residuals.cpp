// Rows beside those k positions on: along a line, a grid, or tokens between images.
#include "pe/analyze/shift/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pe/analyze/lags.hpp"
#include "pe/base/budget.hpp"
#include "pe/properties/laws.hpp"

namespace pe {
namespace {

constexpr Index most_held = Index{1} << 20;  // numbers of rows at a time

}  // namespace

ShiftResiduals::ShiftResiduals(const Question& question, const Shifting& shifting)
    : question_(question), axis_(shifting.axis), table_(as_table(question.subject.effect)) {
  const bool rotation = kind_of(question.subject.effect) == Kind::rotation;
  const Index n = table_.width / 2;
  for (std::size_t j = 0; j < shifting.pairs.size(); ++j) {
    const auto pair = static_cast<Index>(j);
    // Rows of a rotation are its cosines, then its sines: as a table's pair, the sine is first.
    columns_.push_back(rotation ? std::array<Index, 2>{n + pair, pair} : shifting.pairs[j].in);
  }
}

std::vector<double> ShiftResiduals::at(std::int64_t k, const std::vector<Turn>& turns) const {
  std::vector<double> worst(turns.size(), std::numeric_limits<double>::quiet_NaN());
  const DType dtype = question_.subject.dtype;
  if (table_.grid) {
    in_grid(k, turns, worst);
    return worst;
  }
  const auto both = rows_for(k);  // clang 14 captures no structured binding
  const PositionRange &rows = both.first, &shifted = both.second;
  if (rows.count == 0) return worst;
  laws::for_blocks(rows, table_.width, [&](Index first, const PositionRange& block) {
    question_.advance(static_cast<double>(first) / static_cast<double>(rows.count));
    const auto here = laws::rows_of(table_, block, dtype),
               there = laws::rows_of(table_, shifted.slice(first, block.count), dtype);
    for (Index i = 0; i < block.count; ++i)
      hold(&here[static_cast<std::size_t>(i * table_.width)],
           &there[static_cast<std::size_t>(i * table_.width)], turns, worst);
  });
  return worst;
}

// One row and the one k on.
void ShiftResiduals::hold(const double* here, const double* there, const std::vector<Turn>& turns,
                          std::vector<double>& worst) const {
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const Index sine = columns_[j][0], cosine = columns_[j][1];
    const double c = turns[j].cosine, s = turns[j].sine;
    const double off = std::hypot(there[sine] - (c * here[sine] + s * here[cosine]),
                                  there[cosine] - (c * here[cosine] - s * here[sine]));
    if (!(off <= worst[j])) worst[j] = off;
  }
}

// All positions of `all` that have another one k on, in runs whose partners follow one another:
// no more rows than a block's are held.
void ShiftResiduals::in_runs(const PositionRange& all, const Partner& partner_of,
                             const std::vector<Turn>& turns, std::vector<double>& worst) const {
  const Index longest = std::max<Index>(1, most_held / table_.width);
  const DType dtype = question_.subject.dtype;
  for (Index at = 0; at < all.count;) {
    const Index partner = partner_of(at);
    if (partner < 0) {
      ++at;
      continue;
    }
    Index run = 1;
    while (run < longest && at + run < all.count && partner_of(at + run) == partner + run) ++run;
    const auto here = laws::rows_of(table_, all.slice(at, run), dtype),
               there = laws::rows_of(table_, all.slice(partner, run), dtype);
    for (Index i = 0; i < run; ++i)
      hold(&here[static_cast<std::size_t>(i * table_.width)],
           &there[static_cast<std::size_t>(i * table_.width)], turns, worst);
    at += run;
    question_.advance(static_cast<double>(at) / static_cast<double>(all.count));
  }
}

// Of text between images: tokens whose coordinates are k further along the axis, where there are
// such.
void ShiftResiduals::among_tokens(std::int64_t k, const std::vector<Turn>& turns,
                                  std::vector<double>& worst) const {
  const Coordinates& map = *table_.grid;
  const PositionRange& tokens = question_.subject.span.positions;
  const auto place = [&](Index token, std::int64_t step) {
    std::vector<std::int64_t> axes;
    for (std::size_t axis = 0; axis < map.axes.size(); ++axis)
      axes.push_back(map.at(tokens.at(token), axis) +
                     (axis_ == "all" || axis_ == map.axes[axis] ? step : 0));
    return axes;
  };
  std::map<std::vector<std::int64_t>, Index> stands;
  for (Index token = 0; token < tokens.count; ++token) {
    if (token % 4096 == 0) ask_time();
    stands.emplace(place(token, 0), token);
  }
  const auto partner_of = [&](Index token) {
    const auto other = stands.find(place(token, k));
    return other == stands.end() ? Index{-1} : other->second;
  };
  in_runs(tokens, partner_of, turns, worst);
}

// Cells that stay in the grid when k is added along the axis.
void ShiftResiduals::in_grid(std::int64_t k, const std::vector<Turn>& turns,
                             std::vector<double>& worst) const {
  const Coordinates& grid = *table_.grid;
  if (grid.extents.empty()) return among_tokens(k, turns, worst);
  const auto partner_of = [&](Index cell) {
    Index other = 0;
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
      const bool moves = axis_ == "all" || axis_ == grid.axes[axis];
      const std::int64_t at = grid.at(cell, axis) + (moves ? k : 0);
      if (at < 0 || at >= grid.extents[axis]) return Index{-1};
      other = other * grid.extents[axis] + at;
    }
    return other;
  };
  in_runs(first_positions(*grid.count), partner_of, turns, worst);
}

// The positions that have a row, and whose shifted ones have one.
std::pair<PositionRange, PositionRange> ShiftResiduals::rows_for(std::int64_t k) const {
  PositionRange rows = laws::existing(table_, question_.subject.span.positions);
  if (rows.decimals != 0) return {};
  if (table_.rows || question_.of_file) {
    const std::int64_t steps = rows.step == 0 ? 0 : k / rows.step;
    if (rows.step <= 0 || k % rows.step != 0 || std::abs(steps) >= rows.count) return {};
    const Index count = rows.count - std::abs(steps);
    return {rows.slice(steps < 0 ? -steps : 0, count), rows.slice(steps < 0 ? 0 : steps, count)};
  }
  PositionRange shifted = rows;
  shifted.first += k;
  return {rows, shifted};
}

}  // namespace pe
