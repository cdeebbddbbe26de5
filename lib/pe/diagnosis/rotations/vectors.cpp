// The ways to judge vectors, the likeliest first.
#include "pe/diagnosis/rotations/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/coarse_numbers.hpp"
#include "pe/diagnosis/rotations/attempts.hpp"
#include "pe/diagnosis/rotations/beside_turns.hpp"
#include "pe/diagnosis/rotations/norms.hpp"
#include "pe/diagnosis/rotations/other_axis.hpp"
#include "pe/diagnosis/rotations/sharp_numbers.hpp"
#include "pe/diagnosis/rotations/sides.hpp"
#include "pe/diagnosis/rotations/slices.hpp"
#include "pe/diagnosis/rotations/untouched.hpp"
#include "pe/diagnosis/rotations/wiring.hpp"

namespace pe {

Dump as_made(const Dump& dump) {
  const auto type = type_of_numbers(dump.arrays[0]);
  return type ? Dump{{narrowed(dump.arrays[0], *type)}, dump.before, dump.has_gaps} : dump;
}

namespace {

// As told, or as it is where vectors were rounded to less than any type has.
Diagnosis judge_coarse(const Expectation& expected, const Dump& dump, std::optional<Side> side,
                       Diagnosis told) {
  return with_coarse_numbers(std::move(told), expected, dump,
                             {Cause::low_precision_table, "vectors"},
                             [&](const Dump& rounded) { return judge(expected, rounded, side); });
}

// As numbers of a shorter type where every one is one of it: bfloat16 vectors are made float32 to
// be written where nothing else can hold them. As the file has them where they are right so, too.
Diagnosis judge_vectors(const Expectation& expected, const Dump& dump, std::optional<Side> side) {
  const Stored& after = dump.arrays[0];
  const auto type = type_of_numbers(after);
  if (!type) return judge_coarse(expected, dump, side, judge(expected, dump, side));
  Diagnosis other = judge(expected, {{narrowed(after, *type)}, dump.before, dump.has_gaps}, side);
  if (other.tier == Tier::wrong && !is_explained(other))
    return judge_coarse(expected, dump, side, std::move(other));
  if (other.tier != Tier::wrong)
    if (const auto plain = held_as_meant(expected, dump, side)) return *plain;
  const std::string sentence = fmt::format(
      "every number of these {} vectors is one of {}: they were rounded before they "
      "were written",
      name_of(after.dtype), name_of(*type));
  if (other.tier == Tier::wrong) {
    other.notes.push_back(sentence);
  } else {
    other.tier = Tier::storage;
    other.reasons.insert(other.reasons.begin(), {Cause::low_precision_table, sentence});
  }
  return other;
}

// How far the farthest position turns each pair.
std::vector<double> reaches_of(const Expectation& expected, const RotationReading& reading,
                               const RotationTruth& truth) {
  std::vector<double> reaches(static_cast<std::size_t>(reading.pairs));
  for (const Index slot : {Index{0}, reading.slots() - 1})
    for (std::size_t j = 0; j < reaches.size(); ++j) {
      const std::size_t axis = truth.axis.empty() ? 0 : truth.axis[j];
      const auto position = static_cast<double>(expected.position(slot));
      reaches[j] = std::max(
          reaches[j], std::fabs(truth.coordinate ? truth.coordinate(position, axis) : position) *
                          truth.frequencies[j]);
    }
  return reaches;
}

// Vectors without the rows, or the pairs, that are not turned.
std::vector<RestoredDump> touched(const Expectation& expected, const Dump& dump,
                                  std::optional<Side> side) {
  std::vector<RestoredDump> all;
  if (auto rest = without_untouched(expected, dump, likely_reading(expected, dump).reading))
    all.push_back(std::move(*rest));
  const RotationTruth truth = truth_of(expected);
  for (const Attempt& attempt : attempts_of(expected, dump, truth, required_layout(expected), side))
    if (attempt.reasons.empty() && attempt.by_default.empty())
      if (auto rest = without_untouched_pairs(
              dump, attempt.reading, reaches_of(expected, attempt.reading, truth), truth.magnitude))
        all.push_back(std::move(*rest));
  return all;
}

// What is wrong with the others where some rows, or pairs, are not turned; nothing where that is
// not told.
std::optional<Diagnosis> judge_touched(const Expectation& expected, const Dump& dump,
                                       std::optional<Side> side) {
  if (dump.has_gaps || !expected.searches) return {};
  for (const RestoredDump& rest : touched(expected, dump, side)) {
    Diagnosis other = judge_vectors(expected, rest.dump, side);
    if (other.tier == Tier::wrong && !is_explained(other)) continue;
    Diagnosis told = compared_as_meant(expected, dump, side);
    told.tier = Tier::wrong;
    told.reasons = std::move(other.reasons);
    told.reasons.insert(told.reasons.begin(), rest.reason);
    told.after = std::max(other.after, other.tier == Tier::wrong ? 0 : other.worst);
    return told;
  }
  return {};
}

// Of vectors that nothing explains what their lengths say.
void tell_lengths(const Expectation& expected, const Dump& pair, std::optional<Side> side,
                  Diagnosis& told) {
  if (auto turned = judge_directions(expected, pair, side)) {
    told = std::move(*turned);
    return;
  }
  const Dump dump = as_made(pair);
  const RotationTruth truth = truth_of(expected);
  if (truth.log_scale) return;
  if (!keep_lengths(dump, likely_reading(expected, dump).reading, truth.magnitude))
    told.notes.emplace_back(
        "a turn keeps the length of a vector, and these are longer or shorter than they were");
}

// Vectors whose turns are right, and their numbers not.
void hold_numbers(const Expectation& expected, const Dump& as_given, Diagnosis& told) {
  const Dump dump = as_made(as_given);
  const bool is_right = told.tier == Tier::exact || told.tier == Tier::drift;
  if (!is_right || !expected.searches || dump.has_gaps) return;
  const LikelyReading likely = meant_reading(expected, dump);
  auto reasons = numbers_beyond(expected, dump, likely.reading, likely.truth);
  if (!reasons) return;
  told.tier = Tier::wrong;
  told.reasons = std::move(*reasons);
  told.arithmetic.clear();
}

// Vectors that nothing explains by those before them, and that are another array's.
std::optional<Diagnosis> copied_vectors(const Expectation& expected, const Dump& dump,
                                        const std::vector<Diagnosis>& each) {
  if (dump.has_gaps || !expected.searches) return {};
  for (std::size_t i = 0; i < each.size(); ++i) {
    const bool is_vague = std::ranges::all_of(
        each[i].reasons, [](const Reason& reason) { return reason.cause == Cause::damaged_cells; });
    if (each[i].tier != Tier::wrong || !is_vague) continue;
    for (std::size_t other = 0; other < each.size(); ++other) {
      if (other == i || dump.before[other].shape != dump.arrays[i].shape) continue;
      const Dump crossed{{dump.arrays[i]}, {dump.before[other]}, false};
      if (judge_vectors(expected, crossed, {}).tier == Tier::wrong) continue;
      Diagnosis told = each[i];
      const bool is_whole = each[other].tier == Tier::wrong;
      told.reasons = {
          {Cause::side_copied,
           fmt::format("{} holds {} turned, where {} is to be{}", dump.arrays[i].name,
                       dump.before[other].name, dump.before[i].name,
                       is_whole ? "" : fmt::format("; {} is right", dump.arrays[other].name))}};
      told.after = 0;
      return told;
    }
  }
  return {};
}

}  // namespace

Diagnosis diagnose_vectors(const Expectation& expected, const Dump& dump) {
  if (dump.before.size() != dump.arrays.size())
    throw UsageError(
        fmt::format("{} arrays before and {} after: give as many of each, in the same order",
                    dump.before.size(), dump.arrays.size()));
  // Queries first, unless the second has more heads.
  const bool exchanged = dump.arrays.size() == 2 && dump.arrays[1].size() > dump.arrays[0].size();
  std::vector<Diagnosis> each;
  for (std::size_t i = 0; i < dump.arrays.size(); ++i) {
    if (dump.before[i].shape != dump.arrays[i].shape)
      throw UsageError(
          fmt::format("{} is {} and {} is {}: vectors before and after must have one shape",
                      dump.before[i].shown, spell_shape(dump.before[i].shape), dump.arrays[i].shown,
                      spell_shape(dump.arrays[i].shape)));
    const Dump pair{{dump.arrays[i]}, {dump.before[i]}, dump.has_gaps};
    std::optional<Side> side;
    if (dump.arrays.size() == 2) side = (i == 1) != exchanged ? Side::key : Side::query;
    const Stored& before = dump.before[i];  // a file may be called as one likes
    if (dump.arrays.size() == 1 && before.shown.ends_with(':' + before.name)) side = whose(before);
    const Judge as_vectors = [side](const Expectation& meant, const Dump& vectors) {
      if (auto same = judge_same(meant, vectors, side)) return *same;
      if (auto restored = judge_restored(meant, as_made(vectors), side)) return *restored;
      Diagnosis told = judge_vectors(meant, vectors, side);
      // Rows as they were before are no memory that was never written.
      const bool is_excused = std::ranges::any_of(
          told.reasons, [](const Reason& reason) { return reason.cause == Cause::uninitialised; });
      if (told.tier != Tier::wrong || (is_explained(told) && !is_excused)) return told;
      const auto touched = judge_touched(meant, as_made(vectors), side);
      return touched ? *touched : told;
    };
    auto told_at_once = dump.has_gaps ? std::nullopt : judge_broken(expected, pair, side);
    if (!told_at_once) told_at_once = judge_same(expected, pair, side);
    if (!told_at_once) told_at_once = judge_weighed(expected, pair, side);
    if (!told_at_once)
      told_at_once = judge_by_other_axis(expected, as_made(pair), side, as_vectors);
    Diagnosis told =
        told_at_once ? *told_at_once : judge_by_slices(expected, pair, side, as_vectors);
    const bool is_vague = std::ranges::all_of(
        told.reasons, [](const Reason& reason) { return reason.cause == Cause::damaged_cells; });
    if (told.tier == Tier::wrong && is_vague && expected.searches && !dump.has_gaps) {
      if (auto wired = judge_wiring(expected, as_made(pair), side))
        told = std::move(*wired);
      else if (told.reasons.empty())
        tell_lengths(expected, pair, side, told);
    }
    hold_numbers(expected, pair, told);
    each.push_back(std::move(told));
  }
  if (auto copied = copied_vectors(expected, dump, each)) return *copied;
  return told_by_name(expected, std::move(each), dump.arrays);
}

}  // namespace pe
