// The levels of a mask, read off rows of a dump, and the shape of each of its matrices.
#include "pe/diagnosis/mask.hpp"

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/mask_shape.hpp"

namespace pe {
namespace {

constexpr double swin = -100, least = -900;  // levels: Swin's, and the smallest of others
constexpr std::size_t most_levels = 3;

// Numbers that lie so near one another, against how low they are, that they are one level with a
// bias added; 0 levels: they are none.
std::size_t levels_in(std::span<const double> sorted) {
  std::size_t count = 0;
  for (std::size_t end = sorted.size(); end > 0;) {
    const double top = sorted[end - 1];
    const bool is_swin = std::fabs(top - swin) <= 10;
    if (!is_swin && top > least) return 0;
    while (end > 0 && sorted[end - 1] >= top - std::fabs(top) / 4) --end;
    ++count;
  }
  return count;
}

// How many of a row's numbers, sorted, are set off below the rest, by more than the rest spans and
// by half of how low they are (so that a row that is hidden as a whole is not split); 0: none.
std::size_t set_off(const std::vector<double>& sorted) {
  const auto low = std::upper_bound(sorted.begin(), sorted.end(), swin + 10) - sorted.begin();
  for (auto count = static_cast<std::size_t>(low); count > 0; --count) {
    if (count == sorted.size()) continue;
    const double gap = sorted[count] - sorted[count - 1], spread = sorted.back() - sorted[count];
    if (gap <= std::max(spread, -sorted[count - 1] / 2)) continue;
    const std::size_t levels = levels_in(std::span(sorted).first(count));
    if (levels > 0 && levels <= most_levels) return count;
  }
  return 0;
}

}  // namespace

bool MaskLevels::holds(double value) const {
  return value <= below || std::ranges::find(exactly, value) != exactly.end();
}

MaskLevels MaskLevels::of(const std::vector<std::vector<double>>& rows) {
  double highest = -HUGE_VAL, lowest = HUGE_VAL;  // that is masked; that is not
  std::vector<double> distinct;
  std::vector<std::vector<double>> whole;
  for (const std::vector<double>& row : rows) {
    std::vector<double> sorted;
    std::ranges::copy_if(row, std::back_inserter(sorted),
                         [](double value) { return std::isfinite(value); });
    if (sorted.empty()) continue;
    std::ranges::sort(sorted);
    const std::size_t count = set_off(sorted);
    if (count == 0) {
      whole.push_back(std::move(sorted));
      continue;
    }
    highest = std::max(highest, sorted[count - 1]);
    lowest = std::min(lowest, sorted[count]);
    for (std::size_t k = 0; k < count && distinct.size() <= most_levels; ++k)
      if (std::ranges::find(distinct, sorted[k]) == distinct.end()) distinct.push_back(sorted[k]);
  }
  // A row of one number all over, far below the other rows, is hidden as a whole.
  const bool others = lowest < HUGE_VAL ||
                      std::ranges::any_of(whole, [](const auto& row) { return row[0] > least; });
  for (const std::vector<double>& row : whole)
    if (others && row.front() == row.back() && row.size() > 1 && row[0] <= least &&
        highest == -HUGE_VAL) {
      highest = row[0];
      distinct = {row[0]};
    }
  if (highest == -HUGE_VAL) return {};
  for (const std::vector<double>& row : whole)
    if (row.back() > highest + std::fabs(highest) / 4) lowest = std::min(lowest, row.front());
  MaskLevels levels;
  if (highest < lowest)
    levels.below = lowest == HUGE_VAL ? highest : highest + (lowest - highest) / 2;
  else if (distinct.size() <= most_levels)
    levels.exactly = std::move(distinct);
  return levels;
}

namespace {

std::vector<std::vector<double>> some_rows(const Stored& array, const ScoreAxes& axes) {
  constexpr Index most_planes = 24, most_rows = 24, most_keys = Index{1} << 20;
  std::vector<std::vector<double>> rows;
  const Index planes = axes.planes();
  for (Index i = 0; i < std::min(planes, most_planes); ++i) {
    const Index plane = planes <= most_planes ? i : i * (planes - 1) / (most_planes - 1);
    for (Index j = 0; j < std::min(axes.queries, most_rows); ++j) {
      const Index query = axes.queries <= most_rows ? j : j * (axes.queries - 1) / (most_rows - 1);
      std::vector<double> row(static_cast<std::size_t>(std::min(axes.keys, most_keys)));
      array.read((plane * axes.queries + query) * axes.keys, std::ssize(row), row.data());
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

DumpMask::DumpMask(const Stored& array, const ScoreAxes& axes) : axes_(axes) {
  const std::vector<std::vector<double>> rows = some_rows(array, axes);
  levels_ = MaskLevels::of(rows);
  shapes_.emplace_back();
  which_.assign(static_cast<std::size_t>(axes.planes()), 0);
  const auto is_held = [&](double value) { return levels_.holds(value); };
  if (std::ranges::none_of(rows,
                           [&](const auto& row) { return std::ranges::any_of(row, is_held); }))
    return;
  for (Index plane = 0; plane < axes.planes(); ++plane) {
    MaskedPlane cells(array, axes_, levels_, plane);
    if (plane == 0 || !cells.agrees_at_a_glance(shapes_.back()))
      shapes_.push_back(mask_shape_of(cells));
    which_[static_cast<std::size_t>(plane)] = shapes_.size() - 1;
  }
}

const MaskShape& DumpMask::shape(Index plane) const {
  static const MaskShape none;
  return which_.empty() ? none : shapes_[which_[static_cast<std::size_t>(plane)]];
}

bool DumpMask::any() const {
  return std::ranges::any_of(shapes_, [](const MaskShape& shape) { return !shape.empty(); });
}

std::optional<std::int64_t> DumpMask::opens_future() const {
  for (const std::size_t own : which_)
    if (const std::int64_t future = shapes_[own].future;
        future > 0 && future < std::numeric_limits<std::int64_t>::max() &&
        shapes_[own].past == std::numeric_limits<std::int64_t>::min())
      return future;
  return {};
}

bool DumpMask::is_causal() const {
  return !which_.empty() &&
         std::ranges::all_of(which_, [&](std::size_t own) { return shapes_[own].is_causal(); });
}

}  // namespace pe
