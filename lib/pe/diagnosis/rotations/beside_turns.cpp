// What was done to them told first, then what is left.
#include "pe/diagnosis/rotations/beside_turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/attempts.hpp"
#include "pe/diagnosis/rotations/formulas.hpp"
#include "pe/diagnosis/rotations/lengths/growth.hpp"
#include "pe/diagnosis/rotations/norms.hpp"
#include "pe/diagnosis/rotations/own_turns.hpp"
#include "pe/diagnosis/rotations/vectors.hpp"
#include "pe/diagnosis/rotations/weights.hpp"

namespace pe {

std::optional<Diagnosis> judge_broken(const Expectation& expected, const Dump& dump,
                                      std::optional<Side> side) {
  constexpr Index block = 1 << 14;
  std::vector<double> before(block), after(block);
  const Index size = dump.arrays[0].size();
  Index broken = 0, first = 0;
  for (Index begin = 0; begin < size; begin += block) {
    const Index count = std::min(block, size - begin);
    dump.arrays[0].read(begin, count, after.data());
    if (std::all_of(after.begin(), after.begin() + count, [](double x) { return x - x == 0; }))
      continue;
    dump.before[0].read(begin, count, before.data());
    for (Index i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (std::isfinite(after[at]) || !std::isfinite(before[at])) continue;
      if (broken++ == 0) first = begin + i;
    }
  }
  if (broken == 0) return {};
  Diagnosis told = compared_as_meant(expected, dump, side);
  const bool is_told = told.first_wrong && !std::isfinite(told.first_wrong->got);
  told.tier = Tier::wrong;
  told.reasons = {{Cause::not_finite, fmt::format("{} {} NaN or infinite, the first at {}", broken,
                                                  broken == 1 ? "value is" : "values are",
                                                  is_told ? told.first_wrong->place
                                                          : fmt::format("element {}", first))}};
  return told;
}

std::optional<Diagnosis> judge_same(const Expectation& expected, const Dump& dump,
                                    std::optional<Side> side) {
  constexpr Index block = 1 << 12;
  if (dump.arrays[0].dtype != dump.before[0].dtype) return {};
  std::vector<double> before(block), after(block);
  for (Index begin = 0; begin < dump.arrays[0].size(); begin += block) {
    const Index count = std::min(block, dump.arrays[0].size() - begin);
    dump.arrays[0].read(begin, count, after.data());
    dump.before[0].read(begin, count, before.data());
    if (!std::equal(after.begin(), after.begin() + count, before.begin())) return {};
  }
  if (held_as_meant(expected, dump, side)) return {};
  Diagnosis told = compared_as_meant(expected, dump, side);
  if (told.tier != Tier::wrong) return {};
  told.reasons = {{Cause::not_rotated, "no vector is turned: all are what they were"}};
  told.after = 0;
  return told;
}

std::optional<Diagnosis> judge_weighed(const Expectation& expected, const Dump& as_given,
                                       std::optional<Side> side) {
  const RotationTruth truth = truth_of(expected);
  if (truth.log_scale || as_given.has_gaps || !expected.searches) return {};
  const Dump dump = as_made(as_given);
  for (const RotationReading& reading :
       vector_readings(dump, static_cast<Index>(truth.frequencies.size()),
                       question_of(expected, truth, side))) {
    if (keep_lengths(dump, reading, truth.magnitude)) return {};
    if (const auto reason = weights_between(expected, dump, reading, truth)) {
      Diagnosis told = compared_as_meant(expected, as_given, side);
      told.tier = Tier::wrong;
      told.reasons = {*reason};
      return told;
    }
  }
  return {};
}

std::optional<Diagnosis> judge_restored(const Expectation& expected, const Dump& dump,
                                        std::optional<Side> side) {
  const RotationTruth truth = truth_of(expected);
  if (truth.log_scale || dump.has_gaps) return {};
  const auto readings = vector_readings(dump, static_cast<Index>(truth.frequencies.size()),
                                        question_of(expected, truth, side));
  std::vector<RestoredDump> restored;
  if (!keep_lengths(dump, readings.front(), truth.magnitude))
    restored = restored_by_norms(dump, readings.front(), truth.magnitude);
  for (const RotationReading& reading : readings)
    if (auto one = rest_grown(dump, reading, truth.magnitude)) {
      restored.insert(restored.begin(), std::move(*one));
      break;
    }
  if (auto one = restored_by_formula(expected, dump, readings)) restored.push_back(std::move(*one));
  for (const RotationReading& reading : readings)
    if (restored.empty()) restored = restored_by_own_turns(dump, reading);
  std::optional<Diagnosis> best;
  for (const RestoredDump& one : restored) {
    Expectation left = expected;
    left.first += expected.step * one.first;
    if (left.rows && one.count > 0) left.rows = one.count;
    Diagnosis told = judge(left, one.dump, side);
    // What still has odd cells was not put right.
    const bool is_vague =
        std::ranges::find(told.reasons, Cause::damaged_cells, &Reason::cause) != told.reasons.end();
    if (told.tier == Tier::wrong && (!is_explained(told) || is_vague)) continue;
    told.reasons.insert(told.reasons.begin(), one.reason);
    if (!best || told.reasons.size() < best->reasons.size()) best = std::move(told);
  }
  if (!best) return {};
  // How far the vectors lie from what is meant as they are.
  Diagnosis diagnosis = compared_as_meant(expected, dump, side);
  diagnosis.reasons = std::move(best->reasons);
  diagnosis.others = std::move(best->others);
  diagnosis.after = best->worst;
  return diagnosis;
}

std::optional<Diagnosis> judge_directions(const Expectation& expected, const Dump& as_given,
                                          std::optional<Side> side) {
  const Dump dump = as_made(as_given);
  if (truth_of(expected).log_scale || dump.has_gaps || !expected.searches) return {};
  const auto one = restored_by_own_lengths(dump, likely_reading(expected, dump).reading);
  if (!one) return {};
  Diagnosis left = judge(expected, one->dump, side);
  const bool is_vague =
      std::ranges::find(left.reasons, Cause::damaged_cells, &Reason::cause) != left.reasons.end();
  if (left.tier == Tier::wrong && (!is_explained(left) || is_vague)) return {};
  Diagnosis told = compared_as_meant(expected, as_given, side);
  told.tier = Tier::wrong;
  told.reasons = std::move(left.reasons);
  told.reasons.insert(told.reasons.begin(), one->reason);
  told.after = left.worst;
  return told;
}

}  // namespace pe
