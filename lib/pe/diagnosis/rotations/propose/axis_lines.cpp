// Coordinates on another line over those that are meant: from 0 to 1 at the ends of an axis where
// its cells' middles are meant, divided by a number more or less, in turns for radians.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pe/base/digits.hpp"
#include "pe/base/median.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"

namespace pe {
namespace {

struct Line {
  double slope = 1, start = 0;

  double at(double p) const { return slope * p + start; }
};

// Coordinates along one axis: those that are meant, and those that the rows' phases tell.
struct Places {
  std::vector<double> meant, held;

  double least() const { return std::ranges::min(meant); }
  double most() const { return std::ranges::max(meant); }

  // Where the rows of one coordinate stand, in the middle.
  double middle(double coordinate) const {
    std::vector<double> here;
    for (std::size_t i = 0; i < meant.size(); ++i)
      if (meant[i] == coordinate) here.push_back(held[i]);
    return median_of(here);
  }

  bool lie_on(const Line& line, double near) const {
    const auto on = [&](std::size_t i) { return std::fabs(line.at(meant[i]) - held[i]) <= near; };
    std::size_t good = 0;
    for (std::size_t i = 0; i < meant.size(); ++i) good += on(i);
    return 10 * good >= 9 * meant.size();
  }
};

Places places_of(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                 std::size_t axis, const std::vector<Index>& slots) {
  std::vector<Index> rows;
  for (const Index slot : slots) rows.push_back(observation.row_of_slot(slot));
  const std::vector<double> held = observation.implied_positions(hypothesis, rows, axis);
  Places places;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::isfinite(held[i])) {
      places.meant.push_back(hypothesis.position(rows[i], axis));
      places.held.push_back(held[i]);
    }
  return places;
}

// Whether most of them may lie on one line, through any two that stand well apart.
bool may_lie_on_a_line(const Places& places) {
  constexpr double near = 4e-3;
  const std::size_t n = places.meant.size();
  if (n == 0) return false;
  const auto [low, high] = std::ranges::minmax(places.held);
  const double apart = (places.most() - places.least()) / 4;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double run = places.meant[i] - places.meant[j];
      if (!(std::fabs(run) >= apart) || run == 0) continue;
      const double slope = (places.held[i] - places.held[j]) / run;
      const Line line{slope, places.held[i] - slope * places.meant[i]};
      std::size_t on = 0;
      for (std::size_t k = 0; k < n; ++k)
        on += std::fabs(line.at(places.meant[k]) - places.held[k]) <=
              near * std::max(1.0, high - low);
      if (2 * on >= n) return true;
    }
  return apart == 0;
}

// The same of all slots; none where a few of them say that there is no line.
Places places_on_a_line(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis, std::size_t axis) {
  constexpr Index most = 1 << 12, few = 48, glance = 8;
  const Index slots = std::min(observation.slots(), most);
  // Rows most of which turn by these frequencies at no position at all lie on no line.
  if (slots > 2 * few &&
      2 * std::ssize(places_of(observation, hypothesis, axis, spread_over(slots, glance)).held) <
          glance)
    return {};
  if (slots > 2 * few &&
      !may_lie_on_a_line(places_of(observation, hypothesis, axis, spread_over(slots, few))))
    return {};
  std::vector<Index> all(static_cast<std::size_t>(slots));
  std::iota(all.begin(), all.end(), Index{0});
  return places_of(observation, hypothesis, axis, all);
}

// The number of a few that programs make of an axis's extent which is nearest, or the number itself
// to the digits that it is known by.
double tidied(double value, double cells, double near) {
  constexpr int fractions[] = {3,  5,  6,  7,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18,
                               19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
  for (const double tidy :
       {cells / (cells - 1), (cells - 1) / cells, (cells + 1) / cells, cells / (cells + 1),
        1 / cells, 1 / (cells - 1), 2 / (cells - 1), 2 / cells, 2 * std::numbers::pi,
        0.5 * std::numbers::inv_pi, 0.5, 0.25, 2.0, 4.0, 1.0})
    if (std::fabs(value - tidy) <= near * std::fabs(tidy)) return tidy;
  for (const int parts : fractions)  // extents of two axes over one another
    if (const double tidy = std::round(value * parts) / parts;
        tidy > 0 && std::fabs(value - tidy) <= near * tidy)
      return tidy;
  for (const int digits : {1, 2, 3, 4, 5, 6})
    if (std::fabs(to_digits(value, digits) - value) <= near * std::fabs(value))
      return to_digits(value, digits);
  return value;
}

// The line of an axis; nothing where it is the one that is meant, or none.
std::optional<Line> line_of(const Places& places) {
  constexpr std::size_t enough = 6;
  constexpr double near = 1e-3, sharp = 1e-5;
  if (places.meant.size() < enough) return {};
  const double least = places.least(), most = places.most();
  if (!(most - least >= 1)) return {};
  const double first = places.middle(least), last = places.middle(most),
               reach = std::max(std::fabs(last - first), near);
  Line line{(last - first) / (most - least), 0};
  line.start = first - line.slope * least;
  if (!places.lie_on(line, near * std::max(1.0, reach)) || std::fabs(line.slope) < near) return {};
  // Cells that are a step apart, of which the axis has so many.
  std::vector<double> steps = places.meant;
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  if (steps.size() < 3) return {};  // two coordinates lie on every line
  const auto cells = static_cast<double>(steps.size());
  line.slope = std::copysign(tidied(std::fabs(line.slope), cells, sharp), line.slope);
  const double zero = first - line.slope * least;
  const double from_zero = -line.slope * least;
  line.start = std::fabs(first) <= sharp * reach ? from_zero
               : std::fabs(zero) <= sharp * reach
                   ? 0
                   : std::copysign(tidied(std::fabs(zero), cells, sharp), zero);
  if (line.slope == 1 && std::fabs(line.start - std::round(line.start)) < near) return {};
  return line;
}

}  // namespace

RotationProposals axes_on_lines(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  const std::size_t axes = axes_of(observation, hypothesis);
  // Axes of one sequence have its scalings and offsets.
  if (observation.expected().encoding->scalable) return {};
  if (axes < 2 || !observation.has_rows() || observation.reading().per_axis ||
      hypothesis.axis.empty() || hypothesis.row || hypothesis.split)
    return {};
  std::vector<Line> lines(axes);
  std::vector<std::string> words;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Places places = places_on_a_line(observation, hypothesis, axis);
    const auto line = line_of(places);
    if (!line) continue;
    lines[axis] = *line;
    words.push_back(fmt::format(
        "those of axis {} run from {:.6g} to {:.6g}, where {:.6g} to {:.6g} "
        "are meant",
        axis, line->at(places.least()), line->at(places.most()), places.least(), places.most()));
  }
  if (words.empty()) return {};
  Proposal<RotationHypothesis> one{
      hypothesis, fmt::format("coordinates are others: {}", fmt::join(words, "; ")), 1.2};
  one.hypothesis.position = [before = hypothesis.position, lines](Index row, std::size_t axis) {
    return lines[axis].at(before(row, axis));
  };
  return {one};
}

}  // namespace pe
