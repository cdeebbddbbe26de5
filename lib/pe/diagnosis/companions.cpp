// Which arrays of a dump say what it is, and what stands beside them.
#include "pe/diagnosis/companions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/field_names.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/twins.hpp"

namespace pe {
namespace {

// The arrays that are read as turns: the first cosines and sines, of queries and of keys; without
// names the tables.
std::vector<std::string> names_of_turns(const Expectation& expected, const Dump& dump, bool turns) {
  std::vector<std::string> names;
  if (!turns) {
    for (const Stored& array : dump.arrays)
      if (is_table(array)) names.push_back(array.name);
    return names;
  }
  const bool scaled = rotation_truth(expected.effect)->log_scale != nullptr;
  const std::vector<SidedDump> caches =
      scaled ? sided_caches(dump) : std::vector{SidedDump{dump, {}}};
  for (const SidedDump& cache : caches)
    for (const auto side : {RotationReading::Side::cosine, RotationReading::Side::sine}) {
      const auto found = std::ranges::find_if(
          cache.dump.arrays, [&](const Stored& array) { return side_said_by(array) == side; });
      if (found != cache.dump.arrays.end()) names.push_back(found->name);
    }
  return names.size() < 2 ? std::vector<std::string>{} : names;
}

// Arrays among the main ones that no room reads: beside one that has a field's own name, or beside
// turns.
void leave_out_others(const Expectation& expected, Companions& all, int best, bool turns) {
  std::vector<std::string> read;
  if (kind_of(expected.effect) == Kind::rotation) {
    if (all.main.arrays.size() > 2) read = names_of_turns(expected, all.main, turns);
  } else {
    for (const Stored& array : all.main.arrays)
      if (rank_of(expected, array) == best) read.push_back(array.name);
  }
  if (read.empty()) return;
  std::vector<Stored> kept;
  for (Stored& array : all.main.arrays) {
    const bool is_read = std::ranges::find(read, array.name) != read.end();
    (is_read || names_coordinates(array.name) ? kept : all.others).push_back(std::move(array));
  }
  all.main.arrays = std::move(kept);
}

}  // namespace

std::optional<Companions> companions_of(const Expectation& expected, const Dump& dump) {
  if (!dump.before.empty() || dump.arrays.size() < 2 || dump.arrays.size() > most_companions)
    return {};
  const bool turns = std::ranges::any_of(
      dump.arrays, [](const Stored& array) { return side_said_by(array).has_value(); });
  int best = std::numeric_limits<int>::max();
  for (const Stored& array : dump.arrays)
    if (const int rank = rank_of(expected, array); rank >= 0) best = std::min(best, rank);
  const auto truth = rotation_truth(expected.effect);
  const bool scaled =
      truth && truth->log_scale;  // x-transformers keeps angles, and scales beside them
  Companions all;
  for (const Stored& array : dump.arrays) {
    const int rank = rank_of(expected, array);
    const bool is_ratio = is_of_ratios(expected, array);
    const bool is_other_field = rank > best || (rank > 0 && turns) || is_ratio;
    const bool is_scale = rank < 0 && !is_ratio && scaled && says(last_name(array), "scale");
    (is_scale                                               ? all.others
     : is_other_field || is_of_frequencies(expected, array) ? all.fields
                                                            : all.main.arrays)
        .push_back(array);
  }
  // A line that the pairs do not divide, of a name that says nothing, is none of their turns.
  const auto says_nothing = [&](const Stored& array) {
    const std::string name = last_name(array);
    return truth && squeezed(array.shape).size() <= 1 && !says_what_it_is(array) &&
           !names_coordinates(array.name) && !says(name, "freq") && !says(name, "period") &&
           array.size() % std::max<Index>(1, std::ssize(truth->frequencies)) != 0;
  };
  if (!all.fields.empty() || !std::ranges::all_of(all.main.arrays, says_nothing)) {
    std::ranges::copy_if(all.main.arrays, std::back_inserter(all.others), says_nothing);
    std::erase_if(all.main.arrays, says_nothing);
  }
  if (std::ranges::all_of(all.main.arrays, [](const Stored& array) {
        return array.shape.size() == 1 && names_coordinates(array.name);
      })) {  // frequencies alone, and periods beside them
    auto first = std::ranges::find_if(
        all.fields, [&](const Stored& array) { return !is_of_ratios(expected, array); });
    if (first == all.fields.end()) first = all.fields.begin();
    all.main.arrays.push_back(*first);
    all.fields.erase(first);
  }
  leave_out_others(expected, all, best, turns);
  if (turns && expected.layers_alike && expected.still.empty()) find_twins(all, !scaled);
  return all;
}

void refuse_same_names(const Dump& dump) {
  if (!dump.before.empty()) return;
  std::map<std::string_view, const Stored*> seen;
  for (const Stored& array : dump.arrays) {
    const auto [first, is_new] = seen.emplace(array.name, &array);
    if (is_new || !says_what_it_is(array)) continue;
    throw UsageError(
        fmt::format("{} and {} have one name: give one dump at a time, or its parts "
                    "as FILE:TENSOR",
                    first->second->shown, array.shown));
  }
}

}  // namespace pe
