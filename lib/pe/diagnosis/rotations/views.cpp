// The diagnosis of turns: a dump as it lies, and where that explains nothing, by other axes: heads
// side by side in one row, tables that were written by columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/formulas.hpp"
#include "pe/diagnosis/rotations/norms.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/rotations/slices.hpp"

namespace pe {

namespace {

// Arrays whose last axis is that of several heads of `dim` channels, with an axis of heads; as it
// is where it is none.
Dump with_heads(const Dump& dump, Index dim) {
  Dump split = dump;
  for (std::vector<Stored>* arrays : {&split.arrays, &split.before})
    for (Stored& array : *arrays) {
      const Index width = array.shape.empty() ? 0 : array.shape.back();
      if (dim < 2 || width <= dim || width % dim != 0) return dump;
      array.shape.back() = width / dim;
      array.shape.push_back(dim);
    }
  return split;
}

// Tables of the right shape whose numbers lie column after column.
std::optional<Dump> as_if_by_columns(const Dump& dump) {
  Dump turned = dump;
  for (Stored& array : turned.arrays) {
    std::vector<Index> shape = array.shape;
    std::erase(shape, 1);
    if (shape.size() != 2) return {};
    Stored flat = array;
    flat.shape = {shape[1], shape[0]};
    array = transposed(flat, shape[0], shape[1]);
  }
  return turned;
}

// Tables that were written [channel, position], by positions; nothing where their shape says no.
std::optional<Dump> by_columns(const Expectation& expected, const Dump& dump, Index dim) {
  Dump turned = dump;
  bool any = false;
  for (Stored& array : turned.arrays) {
    std::vector<Index> shape = array.shape;
    std::erase(shape, 1);
    if (shape.size() != 2) continue;
    const bool is_table = shape[0] == dim || 2 * shape[0] == dim;
    if (!is_table || (expected.rows && shape[1] < *expected.rows)) return {};
    array = transposed(array, shape[1], shape[0]);
    any = true;
  }
  return any ? std::optional(std::move(turned)) : std::nullopt;
}

// Takes away what queries and keys both have and relative positions survive: the other direction,
// which is right where the weights were trained so, or another place where xPos' scales are 1,
// since s(p − c)/s(q − c) is s(p − q) for every c.
void leave_equivalents(const Expectation& expected, std::vector<Diagnosis>& each) {
  const Rotation* rotation = std::get_if<Rotation>(&expected.effect);
  const bool is_backward = rotation && rotation->backward;  // gradients have one direction
  if (each.size() < 2) return;
  const std::vector<Reason> first = each[0].reasons;
  for (const Reason& reason : first) {
    if (reason.cause != Cause::scale_center &&
        (reason.cause != Cause::direction_reversed || is_backward))
      continue;
    const auto is_it = [&](const Reason& other) {
      return other.cause == reason.cause && other.sentence == reason.sentence;
    };
    if (!std::ranges::all_of(
            each, [&](const Diagnosis& one) { return std::ranges::any_of(one.reasons, is_it); }))
      continue;
    for (Diagnosis& one : each) {
      std::erase_if(one.reasons, is_it);
      // A verdict that says wrong has no doubts.
      if (reason.cause == Cause::direction_reversed)
        (one.reasons.empty() ? one.doubts : one.notes)
            .push_back(fmt::format("queries and keys alike: {}; their products follow the offset "
                                   "with its sign turned, "
                                   "which is right for weights that were trained so alone",
                                   reason.sentence));
      else
        one.notes.push_back(
            fmt::format("queries and keys alike: {}; their products are the same, so this is "
                        "equivalent",
                        reason.sentence));
      if (!one.reasons.empty()) continue;
      one.tier = Tier::drift;
      one.first_wrong.reset();
    }
  }
}

// Of queries and keys, or of one alone.
Diagnosis gravest(const Expectation& expected, std::vector<Diagnosis> each) {
  leave_equivalents(expected, each);
  return *std::ranges::max_element(each, {},
                                   [](const Diagnosis& one) { return static_cast<int>(one.tier); });
}

// Whether more is known than that the table has too few rows.
bool is_explained(const Diagnosis& diagnosis) {
  return std::ranges::any_of(
      diagnosis.reasons, [](const Reason& reason) { return reason.cause != Cause::table_short; });
}

// The short type of which every number of the arrays of a longer one is.
std::optional<DType> short_type_of(const std::vector<Stored>& arrays) {
  std::optional<DType> all;
  for (const Stored& array : arrays) {
    const auto type = type_of_numbers(array);
    if (!type || size_of(*type) != 2 || (all && all != type)) return {};
    all = type;
  }
  return all;
}

// Tables that were rounded before they were written, with the rest of what is wrong with them as
// that type shows it; nothing where it does not explain them either.
std::optional<Diagnosis> judge_rounded(const Expectation& expected, const Dump& dump,
                                       std::optional<Side> side) {
  const auto type = short_type_of(dump.arrays);
  if (!type) return {};
  Dump rounded = dump;
  for (Stored& array : rounded.arrays) array = narrowed(array, *type);
  Diagnosis told = judge(expected, rounded, side);
  if (told.tier != Tier::wrong || !is_explained(told)) return {};
  told.reasons.push_back(
      {Cause::low_precision_table,
       fmt::format("every value of this {} file is a number of {}: the table was rounded before it "
                   "was written",
                   name_of(dump.arrays[0].dtype), name_of(*type))});
  return told;
}

// As it lies; where nothing explains that, by columns.
Diagnosis diagnose_table(const Expectation& expected, const Dump& dump, std::optional<Side> side) {
  std::optional<Diagnosis> plain;
  std::optional<UsageError> refused;
  try {
    plain = judge(expected, dump, side);
    if (plain->tier != Tier::wrong || is_explained(*plain)) return *plain;
    if (const auto rounded = judge_rounded(expected, dump, side)) return *rounded;
  } catch (const UsageError& error) {
    refused = error;
  }
  try {
    if (const auto turned = by_columns(expected, dump, truth_of(expected).dim)) {
      Diagnosis other = judge(expected, *turned, side);
      // Numbers that are no turns by columns either say nothing of columns.
      const bool is_garbage = std::ranges::any_of(
          other.reasons, [](const Reason& reason) { return reason.cause == Cause::uninitialised; });
      if (other.tier != Tier::wrong || (is_explained(other) && !is_garbage)) {
        other.tier = Tier::wrong;
        other.reasons.insert(other.reasons.begin(),
                             {Cause::transposed, "positions and channels are swapped"});
        return other;
      }
    }
  } catch (const UsageError&) {
  }
  if (refused) throw *refused;
  if (const auto turned = as_if_by_columns(dump); turned && plain->reasons.empty())
    if (const auto other = held_as_meant(expected, *turned, side)) {
      plain->after = other->worst;
      plain->reasons = {{Cause::transposed,
                         "the shape is right and the numbers lie column after column: they were "
                         "copied from a transposed view"}};
    }
  return *plain;
}

// As numbers of a shorter type where every one is one of it: bfloat16 vectors are made float32 to
// be written where nothing else can hold them. As the file has them where they are right so, too.
Diagnosis judge_vectors(const Expectation& expected, const Dump& dump, std::optional<Side> side) {
  const Stored& after = dump.arrays[0];
  const auto type = type_of_numbers(after);
  if (!type) return judge(expected, dump, side);
  Diagnosis other = judge(expected, {{narrowed(after, *type)}, dump.before}, side);
  if (other.tier == Tier::wrong && !is_explained(other)) return other;
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

// Vectors to which other than a turn was done, as their lengths or the numbers of a pair say: as
// they are without that. Nothing where it does not explain them.
std::optional<Diagnosis> judge_restored(const Expectation& expected, const Dump& dump,
                                        std::optional<Side> side) {
  const RotationTruth truth = truth_of(expected);
  if (truth.scale) return {};
  const auto readings = vector_readings(dump, static_cast<Index>(truth.frequencies.size()),
                                        question_of(expected, truth, side));
  std::vector<RestoredDump> restored;
  if (!keep_lengths(dump, readings.front())) restored = restored_by_norms(dump, readings.front());
  if (auto one = restored_by_formula(expected, dump, readings)) restored.push_back(std::move(*one));
  std::optional<Diagnosis> best;
  for (const RestoredDump& one : restored) {
    Expectation left = expected;
    left.first += expected.step * one.first;
    if (left.rows && one.count > 0) left.rows = one.count;
    Diagnosis told = judge(left, one.dump, side);
    if (told.tier == Tier::wrong && !is_explained(told)) continue;
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

// What is wrong with each of several arrays, by its name; empty where it is the same of all.
std::vector<Reason> reasons_by_name(const std::vector<Diagnosis>& each,
                                    const std::vector<Stored>& arrays) {
  const auto sentences = [](const Diagnosis& one) {
    std::vector<std::string> all;
    for (const Reason& reason : one.reasons) all.push_back(reason.sentence);
    return all;
  };
  const bool alike = std::ranges::all_of(each, [&](const Diagnosis& one) {
    return one.tier == each[0].tier && sentences(one) == sentences(each[0]);
  });
  std::vector<Reason> all;
  for (std::size_t i = 0; !alike && i < each.size(); ++i) {
    if (each[i].tier != Tier::wrong) continue;
    for (const Reason& reason : each[i].reasons) {
      const auto same = std::ranges::find(all, reason.cause, &Reason::cause);
      const std::string sentence = fmt::format("{}: {}", arrays[i].name, reason.sentence);
      if (same == all.end())
        all.push_back({reason.cause, sentence});
      else
        same->sentence += "; " + sentence;
    }
  }
  return all;
}

// Arrays that are wrong and that nothing explains, beside others that something does.
void note_unexplained(const std::vector<Diagnosis>& each, const std::vector<Stored>& arrays,
                      std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < each.size(); ++i)
    if (each[i].tier == Tier::wrong && each[i].reasons.empty())
      notes.push_back(fmt::format("{} is wrong, too, and unexplained, off by {:.4g} at {}",
                                  arrays[i].name, each[i].worst, each[i].worst_cell.place));
}

// Numbers that are none where there was one before: no cause goes beyond that. Nothing where all
// are finite.
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

// The whole, or where some of its heads, sequences or layers are right, those that are not.
Diagnosis judge_by_slices(const Expectation& expected, const Dump& dump, std::optional<Side> side,
                          const TurnJudge& judge_one) {
  if (const auto right = held_as_meant(expected, dump, side)) return *right;
  std::optional<Diagnosis> slices = judge_slices(expected, dump, side, judge_one);
  if (slices && !is_of_places(*slices)) return *slices;
  Diagnosis whole = judge_one(expected, dump);
  const bool is_vague =
      whole.tier == Tier::wrong &&
      (!is_explained(whole) || (slices && whole.reasons.size() > slices->reasons.size()));
  return slices && is_vague ? *slices : whole;
}

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
    const Dump pair{{dump.arrays[i]}, {dump.before[i]}};
    std::optional<Side> side;
    if (dump.arrays.size() == 2) side = (i == 1) != exchanged ? Side::key : Side::query;
    const TurnJudge as_vectors = [side](const Expectation& meant, const Dump& vectors) {
      const auto restored = judge_restored(meant, vectors, side);
      return restored ? *restored : judge_vectors(meant, vectors, side);
    };
    const auto broken = judge_broken(expected, pair, side);
    each.push_back(broken ? *broken : judge_by_slices(expected, pair, side, as_vectors));
  }
  leave_equivalents(expected, each);
  std::vector<Reason> by_name = reasons_by_name(each, dump.arrays);
  std::vector<std::string> notes;
  if (!by_name.empty()) note_unexplained(each, dump.arrays, notes);
  Diagnosis told = gravest(expected, std::move(each));
  if (!by_name.empty()) told.reasons = std::move(by_name);
  std::ranges::move(notes, std::back_inserter(told.notes));
  return told;
}

// The caches of queries and of keys, where their cosines may carry scales; else the one that there
// is.
Diagnosis diagnose_caches(const Expectation& expected, const Dump& dump) {
  if (!truth_of(expected).scale)
    return judge_by_slices(expected, dump, {}, [](const Expectation& meant, const Dump& table) {
      return diagnose_table(meant, table, {});
    });
  std::vector<Diagnosis> each;
  const std::vector<SidedDump> caches = sided_caches(dump);
  for (const SidedDump& cache : caches)
    each.push_back(diagnose_table(expected, cache.dump, cache.side));
  Diagnosis told = gravest(expected, std::move(each));
  if (caches.size() > 1)
    told.notes.push_back(
        fmt::format("the dump holds {} pairs of cosines and sines: each was judged, and what is "
                    "farthest from right is shown",
                    caches.size()));
  return told;
}

// What is not turned may come from a layer that its model does not turn.
Diagnosis with_still_layers(const Expectation& expected, Diagnosis diagnosis) {
  const bool is_still = std::ranges::any_of(
      diagnosis.reasons, [](const Reason& reason) { return reason.cause == Cause::not_rotated; });
  if (is_still && !expected.still.empty())
    diagnosis.notes.push_back(
        fmt::format("right for some layers of this model: {}", expected.still));
  return diagnosis;
}

}  // namespace

Diagnosis diagnose_turns(const Expectation& expected, const Dump& dump) {
  const auto stacked = diagnose_stacked(expected, dump);
  if (stacked && stacked->tier != Tier::wrong) return *stacked;
  if (dump.before.empty()) {
    Diagnosis table = diagnose_caches(expected, dump);
    if (stacked && table.tier == Tier::wrong) return *stacked;
    const auto apart = table.tier == Tier::wrong ? sides_apart(dump) : std::nullopt;
    if (!apart || is_explained(table)) return table;
    Diagnosis sides = diagnose_caches(expected, *apart);
    if (sides.tier == Tier::wrong && !is_explained(sides)) return table;
    sides.notes.emplace_back("cosines and then sines along the first axis");
    return sides;
  }
  Diagnosis plain = diagnose_vectors(expected, dump);
  if (plain.tier != Tier::wrong || expected.encoding->kind != Kind::rotation)
    return with_still_layers(expected, std::move(plain));
  // Heads side by side in one row look like one head that turns in part, unless the axes have a
  // name each.
  const Dump split = with_heads(dump, truth_of(expected).dim);
  if (expected.axes.find('h') != std::string::npos || split.arrays[0].shape == dump.arrays[0].shape)
    return with_still_layers(expected, std::move(plain));
  Expectation of_heads = expected;
  if (!expected.axes.empty()) of_heads.axes.insert(expected.axes.size() - 1, "h");
  Diagnosis heads = diagnose_vectors(of_heads, split);
  const bool better = heads.tier != Tier::wrong || (!is_explained(plain) && is_explained(heads));
  return with_still_layers(expected, better ? std::move(heads) : std::move(plain));
}

}  // namespace pe
