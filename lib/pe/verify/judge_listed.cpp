// Runs of rows, judged one after another and told as one.
#include "pe/verify/judge_listed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/verify/judge_dump.hpp"
#include "pe/verify/sequences.hpp"

namespace pe {
namespace {

constexpr std::size_t most_runs = 1000;  // each is a diagnosis of its own

struct Run {
  PositionRange positions;
  Index row = 0;  // of the dump, where it begins
};

// The axis of an array that has an entry for each position; of vectors the one that --axes says.
// None: the array has no such axis, as frequencies have none.
std::optional<std::size_t> axis_of(const Stored& array, Index count, const std::string& letters) {
  if (letters.size() == array.shape.size()) {
    const std::size_t axis = letters.find('s');
    if (axis == std::string::npos || array.shape[axis] != count) return {};
    return axis;
  }
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    const bool is_last = axis + 1 == array.shape.size() && axis > 0;
    if (array.shape[axis] != count || is_last) continue;
    if (found)
      throw UsageError(
          fmt::format("{} [{}] has two axes of {}, as many as --positions lists: name them by "
                      "--axes",
                      array.shown, fmt::join(array.shape, " x "), count));
    found = axis;
  }
  return found;
}

std::vector<Stored> part_of(const std::vector<Stored>& arrays, const Run& run, Index count,
                            const std::string& letters, bool& any) {
  std::vector<Stored> part;
  for (const Stored& array : arrays) {
    const auto axis = axis_of(array, count, letters);
    any = any || axis;
    part.push_back(axis ? rows_of(array, *axis, run.row, run.positions.count) : array);
  }
  return part;
}

Dump part_of(const Dump& dump, const Run& run, Index count, const std::string& letters) {
  bool any = false;
  Dump part{part_of(dump.arrays, run, count, letters, any), {}};
  if (!any)
    throw UsageError(fmt::format(
        "--positions lists {} positions, and no axis of {} [{}] before its last has as many", count,
        dump.arrays.front().shown, fmt::join(dump.arrays.front().shape, " x ")));
  part.before = part_of(dump.before, run, count, letters, any);
  return part;
}

std::vector<Run> runs_of(const Positions& positions) {
  std::vector<Run> runs;
  Index row = 0;
  for (const PositionRange& run : positions.runs()) {
    runs.push_back({run, row});
    row += run.count;
  }
  if (runs.size() > most_runs)
    throw UsageError(fmt::format(
        "--positions lists {} runs of positions, and a dump is judged in {} at most: give it in "
        "parts",
        runs.size(), most_runs));
  std::ranges::stable_sort(runs, std::ranges::greater{},
                           [](const Run& run) { return run.positions.count; });
  return runs;
}

std::string spell_run(const Run& run) {
  if (run.positions.count == 1) return fmt::format("{}", run.positions.first);
  return spell(run.positions);
}

// Its rows, where they are not its positions.
std::string spell_rows_of(const Run& run) {
  if (run.row == run.positions.first) return "";
  return run.positions.count == 1
             ? fmt::format(" (row {})", run.row)
             : fmt::format(" (rows {} to {})", run.row, run.row + run.positions.count - 1);
}

void replace(std::string& text, const std::string& words, const std::string& others) {
  if (const std::size_t at = text.find(words); at != std::string::npos)
    text.replace(at, words.size(), others);
}

// What is told of a part, of the whole: "f32 [4 x 32]" is "f32 [9 x 32]" of all rows.
void widen(std::string& what, const Dump& part, Index rows, const Dump& whole, Index all) {
  const auto shape = [](const Dump& dump) {
    return fmt::format("[{}]", fmt::join(dump.arrays.front().shape, " x "));
  };
  replace(what, shape(part), shape(whole));
  replace(what, fmt::format(", {} positions of", rows), fmt::format(", {} positions of", all));
}

// What may have made a run wrong, the likeliest first.
std::vector<std::vector<Reason>> explanations(const Diagnosis& run) {
  std::vector<std::vector<Reason>> all{run.reasons};
  std::ranges::copy(run.others, std::back_inserter(all));
  return all;
}

// What another run adds to what is told of the dump.
void join(Diagnosis& whole, Diagnosis part) {
  const bool is_worse = part.tier > whole.tier;
  if (is_worse) {
    std::swap(whole, part);  // the worse one says why
    whole.layout = part.layout;
  } else if (part.worst > whole.worst) {
    whole.worst = part.worst;
    whole.worst_cell = part.worst_cell;
    whole.bound = part.bound;
    whole.bound_from = part.bound_from;
  }
  whole.cells += part.cells;
  whole.rounded_otherwise += part.rounded_otherwise;
  whole.ulps = std::max(whole.ulps, part.ulps);
  if (!whole.first_wrong) whole.first_wrong = part.first_wrong;
}

// One explanation of all rows goes before those of single runs; of one run alone that is wrong, and
// told, that the list was not used.
bool explain_at_once(const Expectation& expected, const Dump& dump, const Positions& positions,
                     Index wrong, Diagnosis& whole) try {
  if (!rotation_truth(expected.effect)) return false;
  Expectation all = expected;
  all.listed = {positions.listed().begin(), positions.listed().end()};
  all.rows = positions.count();
  all.first = 0;
  all.step = 1;
  std::vector<Reason> reasons = explained_at_once(all, dump);
  const bool is_told = wrong == 1 && !whole.reasons.empty();
  if (reasons.empty() || (is_told && reasons[0].cause != Cause::position_reset)) return false;
  whole.reasons = std::move(reasons);
  whole.others.clear();
  return true;
} catch (const UsageError&) {  // the arrays cannot be read as a whole
  return false;
}

}  // namespace

Diagnosis judge_listed(const Expectation& of_dump, const Dump& as_given,
                       const Positions& positions) {
  Expectation expected = of_dump;
  Dump dump = as_given;
  join_sequences(dump, expected.axes, positions.count());
  const Kind kind = kind_of(expected.effect);
  if (kind == Kind::bias || kind == Kind::relative)
    throw UsageError(
        fmt::format("--positions takes a run START:STOP here, got the list {}: {} is a number for "
                    "each pair of positions; pe-apply takes lists for it, and compare holds its "
                    "fields against the dump",
                    shown(positions), expected.encoding->name));
  Expectation part = expected;
  Diagnosis whole;
  Index wrong = 0;
  std::string wrong_at;
  std::vector<std::vector<Reason>> shared;  // what explains every run that is wrong
  Run told;                                 // the one that is told of
  const std::vector<Run> runs = runs_of(positions);
  for (const Run& run : runs) {
    part.first = run.positions.first;
    part.step = 1;
    part.rows = run.positions.count;
    const Dump rows = part_of(dump, run, positions.count(), expected.axes);
    Diagnosis judged = judge_part(part, rows);
    widen(judged.what, rows, run.positions.count, dump, positions.count());
    if (judged.tier == Tier::wrong && ++wrong <= 5)
      wrong_at += (wrong > 1 ? ", " : "") + spell_run(run);
    if (judged.tier == Tier::wrong) {
      const std::vector<std::vector<Reason>> own = explanations(judged);
      if (wrong == 1) shared = own;
      std::erase_if(shared, [&](const std::vector<Reason>& one) {
        return std::ranges::find(own, one) == own.end();
      });
    }
    if (&run == &runs.front() || judged.tier > whole.tier) told = run;
    if (&run == &runs.front()) {
      whole = std::move(judged);
      if (part.layout.empty() && whole.tier != Tier::wrong) part.layout = whole.layout;
    } else {
      join(whole, std::move(judged));
    }
  }
  const bool is_shared = wrong > 1 && !shared.empty() && !shared[0].empty();
  if (is_shared && shared[0] != whole.reasons && shared[0].size() == 1) {
    whole.reasons = shared[0];
    whole.others.clear();
  }
  if (wrong > 0 && runs.size() > 1 && !explain_at_once(expected, dump, positions, wrong, whole) &&
      !is_shared)
    for (Reason& reason : whole.reasons)
      reason.sentence = fmt::format("at {} of the list{}: {}", spell_run(told), spell_rows_of(told),
                                    reason.sentence);

  refuse_unseen(whole, dump);
  if (std::ranges::all_of(runs, [](const Run& run) {
        return run.positions.first == 0 && run.positions.count == 1;
      }))
    doubt_unturned(expected, whole);
  whole.curve.clear();
  whole.coverage = fmt::format("{} cells in {} runs of positions", whole.cells, runs.size());
  whole.notes.insert(whole.notes.begin(),
                     fmt::format("{} rows in {} runs of positions, each judged by itself",
                                 positions.count(), runs.size()));
  if (wrong > 0)
    whole.notes.insert(whole.notes.begin() + 1, fmt::format("wrong: {} of the runs, at {}{}", wrong,
                                                            wrong_at, wrong > 5 ? ", ..." : ""));
  return whole;
}

}  // namespace pe
