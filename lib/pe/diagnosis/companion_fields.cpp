// Fields of an encoding against arrays that have their names.
#include "pe/diagnosis/companion_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/field_names.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/twins.hpp"
#include "pe/diagnosis/unseen.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/model/weights.hpp"

namespace pe {
namespace {

// ζ of each pair, which its scale is a power of.
Array ratios_of(const Rotation& rotation) {
  std::vector<double> ratios;
  for (const Real& ratio : rotation.scale_rule->ratios) ratios.push_back(to_double(ratio));
  return array_of({std::ssize(ratios)}, ratios);
}

// The field by that name over as many positions as the array has; nothing where none has its shape.
std::optional<Array> field_of(const Expectation& expected, const Stored& array) {
  if (is_of_ratios(expected, array)) return ratios_of(std::get<Rotation>(expected.effect));
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
  const bool are_many = dump.arrays.size() > 1 && kind_of(expected.effect) != Kind::rotation;
  if (!dump.before.empty() || (dump.arrays.size() != 1 && !are_many)) return {};
  const bool are_alone = std::ranges::all_of(dump.arrays, [&](const Stored& array) {
    return is_of_ratios(expected, array) ||
           (std::ranges::find(alone, last_name(array)) != std::end(alone) && !array.is_complex &&
            rank_of(expected, array) >= 0);
  });
  if (!are_alone) return {};
  const Stored& array = dump.arrays[0];
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
  Companions beside;
  beside.fields.assign(dump.arrays.begin() + 1, dump.arrays.end());
  judge_companions(expected, beside, diagnosis);
  return diagnosis;
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
