// Turns compared along each axis, and the verdict with positions on the one that they go by.
#include "pe/diagnosis/rotations/other_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/attempts.hpp"

namespace pe {
namespace {

struct Turns {
  std::vector<double> cosine, sine, slack;
};

Turns turns_of(const Dump& dump, const RotationReading& reading, Index row) {
  const auto pairs = static_cast<std::size_t>(reading.pairs);
  Turns turns{std::vector<double>(pairs), std::vector<double>(pairs), std::vector<double>(pairs)};
  read_vectors(dump, reading, row, 1, turns.cosine.data(), turns.sine.data(), turns.slack.data());
  return turns;
}

// To what rounding of the vectors' type allows, and float32 arithmetic behind it.
bool are_alike(const Turns& a, const Turns& b) {
  for (std::size_t j = 0; j < a.cosine.size(); ++j) {
    const double off = std::hypot(a.cosine[j] - b.cosine[j], a.sine[j] - b.sine[j]),
                 size = std::hypot(a.cosine[j], a.sine[j]);
    if (!(off <= 2 * (a.slack[j] + b.slack[j]) + 0x1p-20 * size)) return false;
  }
  return true;
}

// Zeros before turn by any angle.
bool is_known(const Turns& turns) {
  return std::ranges::any_of(turns.slack, [](double slack) { return std::isfinite(slack); });
}

// How vectors turn that stand apart along an axis alone: some of them, spread over all.
enum class Along { alike, unlike, unknown };

Along turns_along(const Dump& dump, const RotationReading& reading, std::size_t axis) {
  constexpr Index lines = 8, places = 8;
  const Index extent = reading.extents[axis], inner = reading.inner(axis),
              count = reading.rows / extent;
  bool any = false;
  for (const Index line : spread_over(count, lines)) {
    const Index row = line / inner * inner * extent + line % inner;
    std::optional<Turns> first;
    const auto look = [&](Index place) {
      Turns turns = turns_of(dump, reading, row + place * inner);
      if (!is_known(turns)) return true;
      any = any || first;
      if (first) return are_alike(*first, turns);
      first = std::move(turns);
      return true;
    };
    if (!look(0)) return Along::unlike;
    for (Index place = extent - 1; place > 0; place -= std::max<Index>(1, extent / places))
      if (!look(place)) return Along::unlike;
  }
  return any ? Along::alike : Along::unknown;
}

// What is meant, with positions on another axis, from the first one that is meant or from 0.
Expectation along(Expectation expected, const RotationReading& reading, std::size_t axis,
                  bool from_first) {
  expected.axes = letters_of(reading.extents.size() + 1, axis);
  expected.rows = reading.extents[axis];
  if (from_first) return expected;
  expected.first = 0;
  expected.step = 1;
  expected.listed.clear();
  return expected;
}

Reason told_of(const RotationReading& reading, std::size_t axis, bool from_first) {
  return {
      Cause::wrong_axis,
      fmt::format("vectors turn by the index of their {} (axis {} of {}){}, where axis {} holds "
                  "the positions",
                  name_of_axis(reading, axis), axis, spell_shape(reading.extents),
                  from_first ? "" : " from 0 on", reading.axis)};
}

// The axes that do not count positions by any reading, along which vectors do not turn alike, where
// they do along that of the positions.
std::vector<std::size_t> turning_axes(const Dump& dump, const RotationReading& reading,
                                      const std::vector<Attempt>& attempts) {
  std::vector<std::size_t> axes;
  if (reading.slots() == 1 || turns_along(dump, reading, reading.axis) != Along::alike) return axes;
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis) {
    const bool may_count = std::ranges::any_of(
        attempts, [&](const Attempt& attempt) { return attempt.reading.axis == axis; });
    if (!may_count && !letters_of(reading.extents.size() + 1, axis).empty() &&
        turns_along(dump, reading, axis) == Along::unlike)
      axes.push_back(axis);
  }
  return axes;
}

}  // namespace

std::optional<Diagnosis> judge_by_other_axis(const Expectation& expected, const Dump& dump,
                                             std::optional<Side> side, const Judge& judge) {
  const RotationTruth truth = truth_of(expected);
  if (truth.coordinate || truth.log_scale || dump.has_gaps || !expected.searches) return {};
  const std::vector<Attempt> attempts =
      attempts_of(expected, dump, truth, required_layout(expected), side);
  std::optional<Diagnosis> best;
  for (const Attempt& attempt : attempts) {
    if (!attempt.reasons.empty() || !attempt.by_default.empty()) continue;
    for (const std::size_t axis : turning_axes(dump, attempt.reading, attempts))
      for (const bool from_first : {true, false}) {
        if (from_first ? !expected.listed.empty() : expected.first == 0) continue;
        Diagnosis found = judge(along(expected, attempt.reading, axis, from_first), dump);
        if (found.tier != Tier::wrong)
          found.reasons.clear();
        else if (!is_explained(found))
          continue;
        if (best && best->reasons.size() <= found.reasons.size() + 1) continue;
        best = compared_as_meant(expected, dump, side);
        best->tier = Tier::wrong;
        best->reasons = std::move(found.reasons);
        best->reasons.insert(best->reasons.begin(), told_of(attempt.reading, axis, from_first));
        best->others = std::move(found.others);
        best->after = found.worst;
      }
  }
  return best;
}

}  // namespace pe
