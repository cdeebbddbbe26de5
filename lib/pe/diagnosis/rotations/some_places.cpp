// The wrong positions of a dump of turns, found by one pass, and judged as a dump of their own.
#include "pe/diagnosis/rotations/some_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/choice.hpp"
#include "pe/diagnosis/rotations/vectors.hpp"
#include "pe/diagnosis/spelled.hpp"

namespace pe {
namespace {

// What one pass found of the cells that are not as they are meant.
struct WrongCells {
  std::vector<Index> slots;
  std::size_t columns = 0;  // that any of them is in
};

// Nothing where more than three in four slots are wrong, or one or two.
std::optional<WrongCells> wrong_cells(const RotationObservation& observation) {
  constexpr Index least = 3;
  const std::size_t pairs = observation.pairs();
  const auto slots = static_cast<std::size_t>(observation.slots());
  const RotationHypothesis meant = observation.start();
  const RotationPrediction prediction = observation.prediction(meant);
  std::vector<double> cosine(pairs), sine(pairs), bound(pairs);
  std::vector<char> is_wrong(slots), columns(2 * pairs);
  Index wrong = 0;
  observation.scan([&](Index row, const double* c, const double* s, const double* slack) {
    prediction.row(row, cosine, sine, bound);
    bool is_right = true;
    for (std::size_t j = 0; j < pairs; ++j) {
      const double allowed = bound[j] + slack[j];
      if (observation.has_cosine() && !prediction.allows(c[j], cosine[j], allowed))
        is_right = !(columns[j] = 1);
      if (observation.has_sine() && !prediction.allows(s[j], sine[j], allowed))
        is_right = !(columns[pairs + j] = 1);
    }
    char& here = is_wrong[static_cast<std::size_t>(observation.slot(row))];
    wrong += !is_right && !here;
    here = here || !is_right;
    return 4 * wrong <= 3 * std::ssize(is_wrong);
  });
  if (wrong < least || 4 * wrong > 3 * std::ssize(is_wrong)) return {};
  WrongCells cells;
  cells.columns = static_cast<std::size_t>(std::ranges::count(columns, char{1}));
  for (std::size_t slot = 0; slot < slots; ++slot)
    if (is_wrong[slot]) cells.slots.push_back(static_cast<Index>(slot));
  return cells;
}

// The axis of an array along which positions go; nothing where they share one with channels.
std::optional<std::size_t> axis_of_places(const Stored& array, const RotationReading& reading) {
  if (!reading.extents.empty())
    return reading.axis < array.shape.size() && array.shape[reading.axis] == reading.slots()
               ? std::optional(reading.axis)
               : std::nullopt;
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    if (array.shape[axis] == reading.rows) return axis;
    if (array.shape[axis] != 1) break;
  }
  return {};
}

std::optional<Dump> at_places(const Dump& dump, const RotationReading& reading,
                              const std::vector<Index>& slots) {
  Dump some = dump;
  for (auto* arrays : {&some.arrays, &some.before})
    for (Stored& array : *arrays) {
      const auto axis = axis_of_places(array, reading);
      if (!axis) return {};
      array = gathered(array, *axis, slots);
    }
  return some;
}

std::vector<Reason> told_at(const std::string& where, const Diagnosis& alone) {
  std::vector<Reason> all = alone.reasons;
  for (Reason& reason : all) reason.sentence = fmt::format("{}: {}", where, reason.sentence);
  return all;
}

}  // namespace

std::optional<Diagnosis> judge_some_places(const Expectation& expected, const Dump& dump,
                                           std::optional<Side> side, const Judge& judge_one) try {
  if (!expected.searches || dump.has_gaps) return {};
  const LikelyReading likely = likely_reading(expected, dump);
  const RotationReading& reading = likely.reading;
  if (reading.is_of_frequencies() || reading.per_axis) return {};
  const RotationObservation observation(expected, dump, reading, likely.truth,
                                        probe_rows(reading, 0, {}));
  const auto wrong = wrong_cells(observation);
  const std::size_t sides = reading.is_one_sided() ? 1 : 2;
  if (!wrong || 3 * wrong->columns <= sides * observation.pairs()) return {};
  Expectation there = expected;
  there.listed.clear();
  for (const Index slot : wrong->slots) there.listed.push_back(expected.position(slot));
  there.rows = std::ssize(wrong->slots);
  const auto some = at_places(dump, reading, wrong->slots);
  if (!some) return {};
  const Diagnosis alone = judge_one(there, *some);
  const std::string where = fmt::format("positions {}", spell_numbers(there.listed));
  Diagnosis told = compared_as_meant(expected, dump, side);
  told.tier = Tier::wrong;
  told.before = told.after = told.worst;
  const bool is_told = alone.tier == Tier::wrong && is_explained(alone);
  if (is_told) {
    told.reasons = told_at(where, alone);
    told.after = alone.after;
  } else if (2 * std::ssize(wrong->slots) <= reading.slots()) {
    told.reasons = {
        {Cause::damaged_cells, fmt::format("{} hold something else; the others are right", where)}};
  } else {
    return {};
  }
  return told;
} catch (const UsageError&) {  // rows that are none of the shapes that turns come in
  return {};
}

}  // namespace pe
