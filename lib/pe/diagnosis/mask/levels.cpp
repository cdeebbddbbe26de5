// The levels of a mask, read off rows of a dump.
#include "pe/diagnosis/mask/levels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

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

}  // namespace pe
