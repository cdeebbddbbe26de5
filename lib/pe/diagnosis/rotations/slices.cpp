// Slices of a dump of turns along one of its axes, and what is told of them together.
#include "pe/diagnosis/rotations/slices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/some_places.hpp"
#include "pe/diagnosis/rotations/vectors.hpp"

namespace pe {
namespace {

// One axis of a dump beside that of the positions.
struct Slicing {
  std::size_t axis = 0;
  Index count = 0;
  std::string name;  // "head", "sequence"
};

// Tables of several sequences as [sequence, position, …].
Dump with_axis_of_sequences(const Dump& dump, const RotationReading& reading) {
  if (reading.is_vectors()) return dump;
  Dump flat = dump;
  for (Stored& array : flat.arrays) {
    const Index width = array.size() / reading.rows;
    array.shape = {reading.extents[0], reading.extents[1], width};
  }
  return flat;
}

std::vector<Slicing> slicings_of(const RotationReading& reading) {
  constexpr Index most = 64;
  std::vector<Slicing> all;
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis)
    if (axis != reading.axis && reading.extents[axis] > 1 && reading.extents[axis] <= most)
      all.push_back({axis, reading.extents[axis], name_of_axis(reading, axis)});
  return all;
}

Dump slice_of(const Dump& dump, const Slicing& slicing, Index number) {
  Dump slice = dump;
  for (auto* arrays : {&slice.arrays, &slice.before})
    for (Stored& array : *arrays) array = rows_of(array, slicing.axis, number, 1);
  return slice;
}

// Those slices of which the same is true.
struct Alike {
  Reason reason;
  std::vector<Index> numbers;
};

std::string spell(const Alike& one, const Slicing& slicing) {
  const auto count = static_cast<Index>(one.numbers.size());
  return fmt::format("{} {} of {}: {}", slicing.name + (count == 1 ? "" : "s"),
                     fmt::join(one.numbers, ", "), slicing.count, one.reason.sentence);
}

// What is wrong with some slices, and how far these lie from it.
struct ToldApart {
  std::vector<Reason> reasons;
  double after = 0;
  std::size_t most_sentences = 0;  // that differ, of one cause
};

bool is_of_cells(const Reason& reason) { return reason.cause == Cause::damaged_cells; }

// Whether no more is known of a wrong dump than which cells are wrong.
bool is_of_cells(const Diagnosis& told) {
  return told.tier == Tier::wrong &&
         std::ranges::all_of(told.reasons, [](const Reason& one) { return is_of_cells(one); });
}

std::optional<Diagnosis> told_of_slices(const Expectation& expected, const Dump& dump,
                                        std::optional<Side> side, const Judge& judge_one);

// What is wrong with one slice, or with slices of it; where they are few, that something else
// stands there.
Diagnosis told_of_one(const Expectation& expected, const Dump& slice, std::optional<Side> side,
                      const Judge& judge_one, bool are_few) {
  Diagnosis told = judge_one(expected, slice);
  if (told.tier != Tier::wrong || !is_of_cells(told)) return told;
  if (const auto parts = told_of_slices(expected, slice, side, judge_one)) return *parts;
  constexpr double clear = 4;  // bounds
  if (told.reasons.empty() && are_few && told.worst >= clear * told.bound)
    told.reasons = {{Cause::damaged_cells, "something else stands there; the others are right"}};
  return told;
}

// Nothing where all are right, none is, or one is unexplained.
std::optional<ToldApart> told_apart(const Expectation& expected, const Dump& dump,
                                    std::optional<Side> side, const Slicing& slicing,
                                    const Judge& judge_one) {
  constexpr std::size_t most_wrong = 64, most_told = 6;
  const Dump made = dump.before.empty() ? dump : as_made(dump);
  std::vector<Index> wrong;
  for (Index i = 0; i < slicing.count; ++i)
    if (!held_as_meant(expected, slice_of(made, slicing, i), side)) wrong.push_back(i);
  if (wrong.empty() || std::ssize(wrong) == slicing.count || wrong.size() > most_wrong) return {};
  std::vector<Alike> alike;
  ToldApart all;
  for (const Index i : wrong) {
    const Diagnosis told = told_of_one(expected, slice_of(dump, slicing, i), side, judge_one,
                                       2 * std::ssize(wrong) <= slicing.count);
    if (told.tier != Tier::wrong || told.reasons.empty()) return {};
    all.after = std::max(all.after, told.after);
    for (const Reason& reason : told.reasons) {
      const auto same = std::ranges::find_if(alike, [&](const Alike& one) {
        return one.reason.cause == reason.cause && one.reason.sentence == reason.sentence;
      });
      if (same == alike.end())
        alike.push_back({reason, {i}});
      else
        same->numbers.push_back(i);
    }
  }
  std::map<Cause, std::size_t> told;
  for (const Alike& one : alike) {
    const auto same = std::ranges::find(all.reasons, one.reason.cause, &Reason::cause);
    if (same == all.reasons.end())
      all.reasons.push_back({one.reason.cause, spell(one, slicing)});
    else if (told[one.reason.cause] < most_told)
      same->sentence += "; " + spell(one, slicing);
    all.most_sentences = std::max(all.most_sentences, ++told[one.reason.cause]);
  }
  for (Reason& reason : all.reasons)
    if (const std::size_t count = told[reason.cause]; count > most_told)
      reason.sentence += fmt::format("; and {} {}s more", count - most_told, slicing.name);
  return all;
}

// Causes of where rows stand: what one of them says of the whole is shorter than what it says of
// each slice.
bool is_of_places(const Diagnosis& diagnosis) {
  constexpr std::array places{
      Cause::position_offset,   Cause::position_jump,    Cause::position_constant,
      Cause::positions_run_on,  Cause::position_reset,   Cause::not_rotated,
      Cause::heads_not_rotated, Cause::rows_not_rotated, Cause::left_padding,
      Cause::wrong_axis,        Cause::rows_zero,        Cause::damaged_cells};
  return std::ranges::any_of(diagnosis.reasons, [&](const Reason& reason) {
    return std::ranges::find(places, reason.cause) != places.end();
  });
}

struct ToldOfSlices {
  Diagnosis told;
  bool may_be_of_whole = false;  // as well, or better
};

std::optional<ToldOfSlices> judge_slices(const Expectation& expected, const Dump& dump,
                                         std::optional<Side> side, const Judge& judge_one) {
  try {
    const RotationReading reading = likely_reading(expected, dump).reading;
    if (reading.extents.size() < 2 || reading.per_axis) return {};
    Expectation of_slices = expected;
    if (reading.is_vectors() && expected.axes.empty())
      of_slices.axes = letters_of(reading.extents.size() + 1, reading.axis);
    const Dump whole = with_axis_of_sequences(dump, reading);
    for (const Slicing& slicing : slicings_of(reading))
      if (auto apart = told_apart(of_slices, whole, side, slicing, judge_one)) {
        Diagnosis told = compared_as_meant(expected, dump, side);
        told.tier = Tier::wrong;
        told.reasons = std::move(apart->reasons);
        told.before = told.worst;
        told.after = apart->after;
        const bool are_many = 2 * apart->most_sentences > static_cast<std::size_t>(slicing.count);
        return ToldOfSlices{told, are_many || is_of_places(told)};
      }
  } catch (const UsageError&) {  // slices that are none of the shapes that turns come in
  }
  return {};
}

std::optional<Diagnosis> told_of_slices(const Expectation& expected, const Dump& dump,
                                        std::optional<Side> side, const Judge& judge_one) {
  const auto slices = judge_slices(expected, dump, side, judge_one);
  return slices ? std::optional(slices->told) : std::nullopt;
}

}  // namespace

Diagnosis judge_by_slices(const Expectation& expected, const Dump& dump, std::optional<Side> side,
                          const Judge& judge_one) {
  if (const auto right = held_as_meant(expected, dump, side)) return *right;
  const auto slices = judge_slices(expected, dump, side, judge_one);
  if (slices && !slices->may_be_of_whole) return slices->told;
  Diagnosis whole = judge_one(expected, dump);
  const bool is_vague =
      whole.tier == Tier::wrong &&
      (!is_explained(whole) || (slices && whole.reasons.size() > slices->told.reasons.size()));
  if (slices && is_vague) return slices->told;
  if (!is_vague && !leaves_cells(whole)) return whole;
  const auto places = judge_some_places(expected, dump, side, judge_one);
  return places && (is_of_cells(whole) || !leaves_cells(*places)) ? *places : whole;
}

}  // namespace pe
