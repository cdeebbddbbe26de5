// Which arrays of a dump say what it is, and what stands beside them.
#include "pe/diagnosis/companions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/twins.hpp"
#include "pe/diagnosis/unseen.hpp"
#include "pe/dialects/spell.hpp"

namespace pe {
namespace {

// The last part of "model.layers.0.rotary.inv_freq", in small letters; a field's own name for what
// codebases call it.
std::string last_name(const Stored& array) {
  constexpr std::pair<std::string_view, std::string_view> called[] = {{"slopes", "slope"},
                                                                      {"alibi_slope", "slope"},
                                                                      {"alibi_slopes", "slope"},
                                                                      {"angles", "angle"},
                                                                      {"freqs", "angle"}};
  std::string name = array.name.substr(array.name.find_last_of("./:") + 1);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_line = squeezed(array.shape).size() == 1;
  for (const auto& [other, own] : called)
    if (name == other && !array.is_complex && !(own == "angle" && is_line)) return std::string(own);
  return name;
}

bool says(const std::string& name, std::string_view word) {
  return name.find(word) != std::string::npos;
}

// A vector of numbers for the pairs, as codebases keep them beside their caches.
bool is_of_frequencies(const Expectation& expected, const Stored& array) {
  const std::string name = last_name(array);
  const auto truth = rotation_truth(expected.effect);
  return truth && squeezed(array.shape).size() == 1 &&
         array.size() == std::ssize(truth->frequencies) && !array.is_complex &&
         !says(name, "orig") && truth->axis.empty() && (says(name, "freq") || says(name, "period"));
}

// Whether its name is a field's, or a side's: "x" says nothing, and two such are two parts.
bool says_what_it_is(const Stored& array) {
  const std::string name = last_name(array);
  return side_said_by(array) ||
         std::ranges::any_of(all_fields(), [&](const FieldRow& row) { return row.name == name; });
}

// How near the fields of a kind stand to what says what a dump is: those of turns all alike, else
// in the order of the catalogue. −1: no field's name.
int rank_of(const Expectation& expected, const Stored& array) {
  const std::string name = last_name(array);
  const Kind kind = kind_of(expected.effect);
  int rank = 0;
  for (const FieldRow& row : all_fields()) {
    if (row.kind != kind) continue;
    if (row.name == name)
      return kind == Kind::rotation && (name.ends_with("cos") || name.ends_with("sin")) ? 0 : rank;
    ++rank;
  }
  return -1;
}

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
    const bool is_other_field = rank > best || (rank > 0 && turns);
    const bool is_scale = rank < 0 && scaled && says(last_name(array), "scale");
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
    all.main.arrays.push_back(all.fields.front());
    all.fields.erase(all.fields.begin());
  }
  leave_out_others(expected, all, best, turns);
  if (turns && expected.layers_alike && expected.still.empty()) find_twins(all, !scaled);
  return all;
}

namespace {

// The field by that name over as many positions as the array has; nothing where none has its shape.
std::optional<Array> field_of(const Expectation& expected, const Stored& array) {
  constexpr Index most = Index{1} << 22;  // numbers held at once
  if (array.size() > most || array.shape.size() > 4) return {};
  const Index outer = array.shape.empty() ? 1 : array.shape[0];
  std::vector<Index> counts{expected.rows.value_or(outer), outer, (outer + 1) / 2};
  if (const auto rows = rows_of(expected.effect)) counts.push_back(*rows);
  for (const Index count : counts) {
    const Span span{{expected.first, expected.step, count, 0}, {1 - count, 1, 2 * count - 1, 0}};
    try {
      const Field field = spell(expected.effect, span, DType::f64, {last_name(array)}).front();
      std::vector<Index> shape = field.shape();
      if (field.axes.empty()) shape = {1};
      if (squeezed(shape) == squeezed(array.shape.empty() ? std::vector<Index>{1} : array.shape))
        return collect(field);
    } catch (const UsageError&) {
    }
  }
  return {};
}

constexpr double roundings = 64;  // float32 ones, of a field's numbers

// What rounds as often as the angles that the rows of R(p) turn by, [position, row], as a share of
// `roundings`; 0 for channels that pass through.
std::vector<double> angles_of_rows(const Expectation& expected, Index positions) {
  const Rotation& rotation = std::get<Rotation>(expected.effect);
  std::vector<Index> pairs(static_cast<std::size_t>(rotation.dim), -1);
  for (Index j = 0; j < rotation.pairs; ++j)
    for (const Index channel : channels_of(rotation, j).out)
      pairs[static_cast<std::size_t>(channel)] = j;
  const Span span = span_of(PositionRange{expected.first, expected.step, positions, 0});
  const Array angles = collect(spell(expected.effect, span, DType::f64, {"angle"}).front());
  const std::vector<double> growth = rotation_truth(expected.effect)->growth;
  std::vector<double> of_rows;
  for (Index p = 0; p < positions; ++p)
    for (const Index pair : pairs)
      of_rows.push_back(pair < 0 ? 0
                                 : std::fabs(angles.at(p * rotation.pairs + pair)) *
                                       growth[static_cast<std::size_t>(pair)] / roundings);
  return of_rows;
}

std::optional<Reason> against_field(const Expectation& expected, const Stored& array,
                                    const Array& field) {
  std::vector<double> got(static_cast<std::size_t>(array.size()));
  array.read(0, array.size(), got.data());
  const bool whole = is_integer(field.dtype()), matrix = last_name(array) == "matrix";
  const double file = is_integer(array.dtype) ? 0 : unit_roundoff(array.dtype);
  const std::vector<double> angles =
      matrix ? angles_of_rows(expected, field.shape()[0]) : std::vector<double>{};
  const Index columns = matrix ? field.shape()[2] : 1;
  Index wrong = 0;
  std::optional<Index> first;
  for (Index i = 0; i < array.size(); ++i) {
    const double have = got[static_cast<std::size_t>(i)], want = field.at(i),
                 size = matrix ? std::max(1.0,
                                          std::fabs(angles[static_cast<std::size_t>(i / columns)]))
                               : std::fabs(want),
                 bound = whole ? 0 : roundings * 0x1p-24 * size + file * std::fabs(want) + 0x1p-149;
    if (have == want || std::fabs(have - want) <= bound) continue;
    ++wrong;
    if (!first) first = i;
  }
  if (!first) return {};
  return Reason{
      Cause::field_differs,
      fmt::format(
          "{} of {} numbers are not those of this encoding, the first {:.9g} where {:.9g} is meant",
          wrong, array.size(), got[static_cast<std::size_t>(*first)], field.at(*first))};
}

// What is wrong with arrays beside those that say what the dump is, and how wrong that is.
struct Against {
  Tier tier = Tier::exact;
  std::vector<Reason> reasons = {};

  void add(const Against& other) {
    tier = std::max(tier, other.tier);
    std::ranges::copy(other.reasons, std::back_inserter(reasons));
  }
};

// Of frequencies, or of turns as complex numbers, by the causes of turns.
Against against_turns(const Expectation& expected, const Dump& dump) {
  const Diagnosis told = diagnose_turns(expected, dump);
  if (told.tier <= Tier::drift) return {};
  std::vector<Reason> reasons = told.reasons;
  if (reasons.empty())
    reasons.push_back({Cause::field_differs,
                       fmt::format("off by {:.4g} at {}", told.worst, told.worst_cell.place)});
  std::vector<std::string> names;
  for (const Stored& array : dump.arrays) names.push_back(array.name);
  for (Reason& reason : reasons)
    reason.sentence = fmt::format("{} beside it: {}", fmt::join(names, " and "), reason.sentence);
  return {told.tier, std::move(reasons)};
}

}  // namespace

std::optional<Diagnosis> judge_lone_field(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view alone[] = {
      "drift",       "ratio",        "attention_factor", "matrix",   "query_scale",
      "key_scale",   "coordinate",   "argument",         "r1",       "r2",
      "compression", "coordinate_h", "coordinate_w",     "sinusoid", "table",
      "row_table",   "column_table", "value_table"};
  if (!dump.before.empty() || dump.arrays.size() != 1 || dump.arrays[0].is_complex) return {};
  const Stored& array = dump.arrays[0];
  if (std::ranges::find(alone, last_name(array)) == std::end(alone) || rank_of(expected, array) < 0)
    return {};
  const auto field = field_of(expected, array);
  if (!field) return {};
  Diagnosis diagnosis;
  diagnosis.what =
      fmt::format("{}, {} [{}]", array.name, name_of(array.dtype), fmt::join(array.shape, " x "));
  diagnosis.cells = array.size();
  diagnosis.coverage = fmt::format("all {} numbers", array.size());
  diagnosis.tier = Tier::drift;
  if (auto reason = against_field(expected, array, *field)) {
    diagnosis.tier = Tier::wrong;
    diagnosis.reasons.push_back(std::move(*reason));
  } else {
    diagnosis.arithmetic = fmt::format("the field {} within {} roundings", array.name, roundings);
  }
  return diagnosis;
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

void judge_companions(const Expectation& expected, const Companions& companions,
                      Diagnosis& diagnosis) {
  std::vector<std::string> unseen;
  for (const Stored& array : companions.others) unseen.push_back(array.name);
  Against against;
  for (const Stored& array : companions.fields) {
    if (names_coordinates(array.name)) continue;
    if (is_of_frequencies(expected, array) || last_name(array) == "complex") {
      Expectation alone = expected;
      alone.layout.clear();  // of the cache
      alone.rows.reset();
      against.add(against_turns(alone, {{array}, {}}));
    } else if (const auto field = field_of(expected, array)) {
      if (auto reason = against_field(expected, array, *field)) {
        reason->sentence = fmt::format("{} beside it: {}", array.name, reason->sentence);
        against.add({Tier::wrong, {std::move(*reason)}});
      }
    } else {
      unseen.push_back(array.name);
    }
  }
  for (const Dump& twin : companions.twins) against.add(against_turns(expected, twin));
  for (const Dump& copy : companions.copies) {
    const Against found = against_turns(expectation_of_copy(expected, false), copy);
    const bool is_elsewhere =
        against_turns(expectation_of_copy(expected, true), copy).reasons.empty();
    if (!is_elsewhere) against.add(found);
  }
  if (!unseen.empty()) diagnosis.doubts.push_back(not_looked_at(unseen));
  if (against.reasons.empty()) return;
  if (diagnosis.tier != Tier::wrong) diagnosis.arithmetic.clear();
  diagnosis.tier = std::max(diagnosis.tier, against.tier);
  std::ranges::move(against.reasons, std::back_inserter(diagnosis.reasons));
}

}  // namespace pe
