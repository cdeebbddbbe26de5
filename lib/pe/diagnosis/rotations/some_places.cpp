// The wrong positions of a dump of turns, found by one pass, and judged as a dump of their own.
#include "pe/diagnosis/rotations/some_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/spread.hpp"
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
  bool are_clear = true;    // at each slot some are off by several times their bound
};

// Nothing where more than three in four slots are wrong, or few cells: three rows of a table, and
// of vectors several at one position, are enough.
std::optional<WrongCells> wrong_cells(const RotationObservation& observation) {
  constexpr Index least_rows = 3;
  constexpr double clear = 4;  // bounds
  const std::size_t pairs = observation.pairs();
  const auto slots = static_cast<std::size_t>(observation.slots());
  const RotationHypothesis meant = observation.start();
  const RotationPrediction prediction = observation.prediction(meant);
  std::vector<double> cosine(pairs), sine(pairs), bound(pairs);
  std::vector<char> columns(2 * pairs);
  std::vector<double> excess(slots);  // where it is more than 1
  Index wrong = 0;
  observation.scan([&](Index row, const double* c, const double* s, const double* slack) {
    prediction.row(row, cosine, sine, bound);
    double worst = 0;
    const auto look = [&](std::size_t column, double got, double want, double allowed) {
      allowed += prediction.rounding(want);
      if (std::fabs(got - want) <= allowed) return;
      columns[column] = 1;
      worst = std::max(worst, std::fabs(got - want) / allowed);
    };
    for (std::size_t j = 0; j < pairs; ++j) {
      if (observation.has_cosine()) look(j, c[j], cosine[j], bound[j] + slack[j]);
      if (observation.has_sine()) look(pairs + j, s[j], sine[j], bound[j] + slack[j]);
    }
    double& here = excess[static_cast<std::size_t>(observation.slot(row))];
    wrong += here == 0 && worst > 0;
    here = std::max(here, worst);
    return 4 * wrong <= 3 * std::ssize(excess);
  });
  const Index each = observation.reading().rows / observation.slots();
  if (wrong * each < least_rows || 4 * wrong > 3 * std::ssize(excess)) return {};
  WrongCells cells;
  cells.columns = static_cast<std::size_t>(std::ranges::count(columns, char{1}));
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (excess[slot] == 0) continue;
    cells.slots.push_back(static_cast<Index>(slot));
    cells.are_clear = cells.are_clear && excess[slot] >= clear;
  }
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

// What is meant there: a range where the slots follow one another.
Expectation at_slots(Expectation expected, const std::vector<Index>& slots) {
  const Expectation whole = expected;
  expected.rows = std::ssize(slots);
  if (whole.listed.empty() && slots.back() - slots.front() + 1 == std::ssize(slots)) {
    expected.first = whole.position(slots.front());
    return expected;
  }
  expected.listed.clear();
  for (const Index slot : slots) expected.listed.push_back(whole.position(slot));
  return expected;
}

std::string spell_places(const Expectation& expected, const std::vector<Index>& slots) {
  std::vector<std::int64_t> positions;
  for (const Index slot : slots) positions.push_back(expected.position(slot));
  return fmt::format("position{} {}", slots.size() == 1 ? "" : "s", spell_numbers(positions));
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
  constexpr Index most_slots = Index{1} << 20;
  if (reading.is_of_frequencies() || reading.per_axis || reading.slots() > most_slots) return {};
  const RotationObservation observation(expected, dump, reading, likely.truth,
                                        probe_rows(reading, 0, {}));
  const auto wrong = wrong_cells(observation);
  const std::size_t sides = reading.is_one_sided() ? 1 : 2;
  if (!wrong || 3 * wrong->columns <= sides * observation.pairs()) return {};
  // A table's rows are all of the layout in which most are right.
  Expectation as_read = expected;
  if (!reading.is_vectors() && as_read.layout.empty()) as_read.layout = reading.layout;
  const auto told_of = [&](const std::vector<Index>& slots) -> std::optional<Diagnosis> {
    const auto some = at_places(dump, reading, slots);
    if (!some) return {};
    Expectation there = at_slots(as_read, slots);
    there.most_causes = 1;
    Diagnosis alone = judge_one(there, *some);
    return alone.tier == Tier::wrong && is_explained(alone) && !leaves_cells(alone)
               ? std::optional(std::move(alone))
               : std::nullopt;
  };
  // Of very many some are asked first: what none of them tells, all do not.
  constexpr Index enough = 256;
  const auto judged_at = [&](const std::vector<Index>& slots) -> std::optional<Diagnosis> {
    if (std::ssize(slots) > 4 * enough) {
      std::vector<Index> some;
      for (const Index i : spread_over(std::ssize(slots), enough))
        some.push_back(slots[static_cast<std::size_t>(i)]);
      std::ranges::reverse(some);
      if (!told_of(some)) return {};
    }
    return told_of(slots);
  };
  std::vector<Index> slots = wrong->slots;
  std::string beside;
  auto alone = judged_at(slots);
  // What was written from one number on to another begins and ends within a row.
  constexpr Index many = 6;
  const bool are_one_piece = slots.back() - slots.front() + 1 == std::ssize(slots);
  if (!alone && are_one_piece && std::ssize(slots) >= many) {
    const std::vector<Index> inner(slots.begin() + 1, slots.end() - 1);
    if ((alone = judged_at(inner))) {
      beside = fmt::format("; positions {} and {} are wrong, too", expected.position(slots.front()),
                           expected.position(slots.back()));
      slots = inner;
    }
  }
  Diagnosis told = compared_as_meant(as_read, dump, side);
  told.tier = Tier::wrong;
  told.before = told.after = told.worst;
  const std::string where = spell_places(expected, slots);
  if (alone) {
    told.reasons = told_at(where, *alone);
    told.reasons.back().sentence += beside;
    told.after = alone->after;
  } else if (wrong->are_clear && 2 * std::ssize(slots) <= reading.slots()) {
    told.reasons = {
        {Cause::damaged_cells, fmt::format("{} hold{} something else; the others are right", where,
                                           slots.size() == 1 ? "s" : "")}};
  } else {
    return {};
  }
  return told;
} catch (const UsageError&) {  // rows that are none of the shapes that turns come in
  return {};
}

}  // namespace pe
