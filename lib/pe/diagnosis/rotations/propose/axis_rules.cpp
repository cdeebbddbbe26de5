// Rules of an axis: its coordinates stand still, run or turn backwards, or have another step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"

namespace pe {
namespace {

/// What became of one axis's coordinates, in words behind "the coordinates of axis a".
struct AxisRule {
  Cause cause;
  std::string words;
  std::function<double(double meant)> held;
};

// A coordinate that is meant and the one that is held, most often.
struct Step {
  double meant, held;
};

// Nothing where places of one coordinate hold several.
std::vector<Step> steps_of(const std::vector<Step>& places) {
  std::map<double, std::map<double, std::size_t>> counts;
  for (const auto& [meant, held] : places) ++counts[meant][held];
  std::vector<Step> steps;
  std::size_t agreeing = 0;
  for (const auto& [meant, held] : counts) {
    const auto most =
        std::ranges::max_element(held, {}, [](const auto& one) { return one.second; });
    steps.push_back({meant, most->first});
    agreeing += most->second;
  }
  return 10 * agreeing >= 9 * places.size() ? steps : std::vector<Step>{};
}

std::string spell_line(double slope, double start) {
  const std::string times = slope == 1 ? "p" : fmt::format("{:.15g}p", slope);
  if (start == 0) return times;
  return fmt::format("{} {} {:.15g}", times, start < 0 ? "−" : "+", std::fabs(start));
}

// Coordinates on a line over those that are meant, p.
AxisRule line(double slope, double start, double least, double most) {
  const auto held = [slope, start](double p) { return slope * p + start; };
  if (slope == 0)
    return {Cause::position_constant, fmt::format("stand still at {:.15g}", start), held};
  if (slope == -1 && start == 0)
    return {Cause::direction_reversed, "have the other sign: the axis turns backwards", held};
  if (slope == -1)
    return {Cause::coordinate_offset,
            fmt::format("run backwards, from {:.15g} to {:.15g}", held(least), held(most)), held};
  const bool doubled = start == 0 && slope > 1 && slope == std::round(slope);
  return {doubled ? Cause::position_doubled : Cause::coordinate_offset,
          fmt::format("are {}, where p is meant", spell_line(slope, start)), held};
}

// Divided and rounded down, as a merger of cells has them.
std::optional<AxisRule> floored(const std::vector<Step>& steps) {
  for (const int by : {2, 3, 4, 8}) {
    const auto held = [by](double p) { return std::floor(p / by); };
    if (std::ranges::all_of(steps, [&](const Step& s) { return s.held == held(s.meant); }))
      return AxisRule{Cause::position_floored,
                      fmt::format("are divided by {} and rounded down", by), held};
  }
  return {};
}

// Nothing where the axis is as it is meant, only starts elsewhere, or follows no rule.
std::optional<AxisRule> rule_of(const std::vector<Step>& steps) {
  constexpr std::size_t enough = 3;  // two coordinates lie on every line
  if (steps.size() < enough) return {};
  const Step &first = steps.front(), &last = steps.back();
  const double slope = (last.held - first.held) / (last.meant - first.meant),
               start = first.held - slope * first.meant;
  const auto is_on = [&](const Step& s) {
    return std::fabs(slope * s.meant + start - s.held) < 1e-6;
  };
  if (!std::ranges::all_of(steps, is_on)) return floored(steps);
  if (slope == 1) return {};
  return line(slope, start, first.meant, last.meant);
}

}  // namespace

RotationProposals axes_by_rule(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis, const Offsets& offsets) {
  const bool tables = observation.reading().per_axis;
  const Index run = observation.reading().run;
  std::map<std::size_t, AxisRule> rules;
  for (std::size_t axis = 0; axis < offsets[0].size(); ++axis) {
    std::vector<Step> places;
    for (std::size_t place = 0; place < offsets.size(); ++place) {
      const auto slot = static_cast<Index>(place);
      const double meant = tables ? hypothesis.position(static_cast<Index>(axis) * run + slot, 0)
                                  : hypothesis.position(observation.row_of_slot(slot), axis);
      if (!std::isnan(offsets[place][axis]))
        places.push_back({meant, meant + offsets[place][axis]});
    }
    if (auto rule = rule_of(steps_of(places))) rules.emplace(axis, std::move(*rule));
  }
  if (rules.empty()) return {};
  std::vector<std::string> sentences;
  for (const auto& [axis, rule] : rules)
    sentences.push_back(fmt::format("the coordinates of axis {} {}", axis, rule.words));
  Proposal<RotationHypothesis> one{hypothesis, fmt::format("{}", fmt::join(sentences, "; ")), 1.02,
                                   rules.begin()->second.cause};
  one.hypothesis.position = [before = hypothesis.position, rules, tables, run](Index row,
                                                                               std::size_t axis) {
    const auto rule = rules.find(tables ? static_cast<std::size_t>(row / run) : axis);
    return rule == rules.end() ? before(row, axis) : rule->second.held(before(row, axis));
  };
  return {one};
}

}  // namespace pe
