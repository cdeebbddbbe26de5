// The diagnosis of turns: a dump as it lies, and where that explains nothing, by other axes: heads
// side by side in one row, tables that were written by columns.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/rotations/sides.hpp"
#include "pe/diagnosis/rotations/slices.hpp"
#include "pe/diagnosis/rotations/vector_names.hpp"
#include "pe/diagnosis/rotations/vectors.hpp"

namespace pe {

Dump with_heads(const Dump& dump, Index dim) {
  Dump split = dump;
  bool any = false;  // has more than one head
  for (std::vector<Stored>* arrays : {&split.arrays, &split.before})
    for (Stored& array : *arrays) {
      const Index width = array.shape.empty() ? 0 : array.shape.back();
      if (dim < 2 || width < dim || width % dim != 0) return dump;
      any = any || width > dim;
      array.shape.back() = width / dim;
      array.shape.push_back(dim);
    }
  return any ? split : dump;
}

namespace {

// Vectors [block, place, …], as a paged cache in order keeps them, as rows one after another; the
// dump as it is where one axis has as many as are meant, or two have not.
Dump with_blocks_joined(const Dump& dump, const Expectation& expected) {
  const std::vector<Index>& shape = dump.arrays[0].shape;
  if (!expected.rows || !expected.axes.empty() || shape.size() < 3 ||
      std::find(shape.begin(), shape.end() - 1, *expected.rows) != shape.end() - 1 ||
      shape[0] * shape[1] != *expected.rows)
    return dump;
  Dump joined = dump;
  for (std::vector<Stored>* arrays : {&joined.arrays, &joined.before})
    for (Stored& array : *arrays) {
      if (array.shape.size() < 3 || array.shape[0] * array.shape[1] != *expected.rows) return dump;
      array.shape[0] *= array.shape[1];
      array.shape.erase(array.shape.begin() + 1);
    }
  return joined;
}

// Whether positions that start again from 0 are all that is wrong.
bool starts_anew(const Diagnosis& told) {
  return std::ranges::all_of(told.reasons, [](const Reason& reason) {
    return reason.cause == Cause::position_reset || reason.cause == Cause::rows_wrapped;
  });
}

// Tables of the right shape whose numbers lie column after column.
std::optional<Dump> as_if_by_columns(const Dump& dump) {
  Dump turned = dump;
  for (Stored& array : turned.arrays) {
    const std::vector<Index> shape = squeezed(array.shape);
    if (shape.size() != 2) return {};
    Stored flat = array;
    flat.shape = {shape[1], shape[0]};
    array = transposed(flat, shape[0], shape[1]);
  }
  return turned;
}

// Tables that were written [channel, position], by positions; nothing where their shape says no.
std::optional<Dump> by_columns(const Expectation& expected, const Dump& dump,
                               const RotationTruth& truth) {
  const auto pairs = static_cast<Index>(truth.frequencies.size());
  Dump turned = dump;
  bool any = false;
  for (Stored& array : turned.arrays) {
    const std::vector<Index> shape = squeezed(array.shape);
    if (shape.size() != 2) continue;
    // Of a head whose part turns the columns are fewer.
    const bool is_table = shape[0] == truth.dim || 2 * shape[0] == truth.dim || shape[0] == pairs ||
                          shape[0] == 2 * pairs;
    if (!is_table || (expected.rows && shape[1] < *expected.rows)) return {};
    array = transposed(array, shape[1], shape[0]);
    any = true;
  }
  return any ? std::optional(std::move(turned)) : std::nullopt;
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
    if (const auto turned = by_columns(expected, dump, truth_of(expected))) {
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

// The caches of queries and of keys, where their cosines may carry scales; else the one that there
// is.
Diagnosis diagnose_caches(const Expectation& expected, const Dump& dump) {
  if (!truth_of(expected).log_scale)
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

namespace {

// Whether what is wrong as heads side by side, all but the first unturned, holds as one that turns
// in part.
bool is_one_wide_head(const Expectation& expected, const Dump& dump, const Diagnosis& heads) {
  if (heads.reasons.size() != 1 || heads.reasons[0].cause != Cause::heads_not_rotated) return false;
  Expectation as_is = expected;
  as_is.searches = false;
  return diagnose_vectors(as_is, dump).tier != Tier::wrong;
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
  if (const auto named = vectors_by_name(dump))
    return with_values(expected, *named, diagnose_turns(expected, named->turning));
  // A row of so many heads side by side looks like one that turns in part, unless the axes have a
  // name each.
  const RotationTruth truth = truth_of(expected);
  const Dump rows = with_blocks_joined(dump, expected);
  if (rows.arrays[0].shape != dump.arrays[0].shape) {
    Diagnosis told = diagnose_turns(expected, rows);
    told.notes.push_back(
        fmt::format("blocks of {} positions, one after another", dump.arrays[0].shape[1]));
    if (told.tier != Tier::wrong) return told;
    // A batch that is right but for its length is one that is short, unless its blocks make up what
    // is meant and each starts anew.
    Expectation of_any_length = expected;
    of_any_length.rows.reset();
    const bool is_batch =
        is_explained(told) && diagnose_turns(of_any_length, dump).tier != Tier::wrong;
    if (is_batch && starts_anew(told))
      told.notes.push_back(fmt::format("right as {0} sequences of {1} positions (--length {1})",
                                       dump.arrays[0].shape[0], dump.arrays[0].shape[1]));
    if (is_explained(told) && (!is_batch || starts_anew(told))) return told;
  }
  const Dump split = with_heads(dump, truth.dim);
  const bool may_be_heads = expected.encoding->kind == Kind::rotation &&
                            expected.axes.find('h') == std::string::npos &&
                            split.arrays[0].shape != dump.arrays[0].shape;
  const auto as_heads = [&] {
    Expectation of_heads = expected;
    if (!expected.axes.empty()) of_heads.axes.insert(expected.axes.size() - 1, "h");
    return diagnose_vectors(of_heads, split);
  };
  // Unless heads have an axis, or what is meant is a part of them, such a row is of heads.
  constexpr std::size_t with_axis_of_heads = 4;
  if (may_be_heads && !expected.wide_heads && !truth.last &&
      dump.arrays[0].shape.size() < with_axis_of_heads) {
    Diagnosis heads = as_heads();
    if (heads.tier != Tier::wrong || is_explained(heads)) {
      if (is_one_wide_head(expected, dump, heads))
        heads.notes.push_back(fmt::format(
            "right as one head of {0} channels, of which {1} turn (--dim {0} --rotary-dim {1})",
            dump.arrays[0].shape.back(), 2 * truth.frequencies.size()));
      return with_still_layers(expected, std::move(heads));
    }
    Diagnosis plain = diagnose_vectors(expected, dump);
    const bool is_better = plain.tier != Tier::wrong || is_explained(plain);
    return with_still_layers(expected, std::move(is_better ? plain : heads));
  }
  Diagnosis plain = diagnose_vectors(expected, dump);
  if (plain.tier != Tier::wrong || !may_be_heads)
    return with_still_layers(expected, std::move(plain));
  Diagnosis heads = as_heads();
  const bool is_better = heads.tier != Tier::wrong || (!is_explained(plain) && is_explained(heads));
  return with_still_layers(expected, std::move(is_better ? heads : plain));
}

}  // namespace pe
