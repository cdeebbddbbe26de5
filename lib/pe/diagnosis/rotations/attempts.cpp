// Every reading of a dump that suits, with the truth for as many pairs as it has.
#include "pe/diagnosis/rotations/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/cache_names.hpp"
#include "pe/diagnosis/rotations/rest.hpp"

namespace pe {
namespace {

// [sequence, 1, channel], a step of decoding of several sequences: the axis before a row is of one.
bool has_one_position(const std::vector<Index>& shape, Index width) {
  std::size_t last = shape.size();
  for (Index size = 1; last > 0 && size < width;) size *= shape[--last];
  return last >= 2 && shape[last - 1] == 1;
}

// One side alone of an array whose name says that both are in it: cos_sin_cache.
bool says_one_of_both(const Dump& dump, const RotationReading& reading) {
  const Stored& array = dump.arrays[reading.cosine.array];
  return reading.is_one_sided() && reading.width % 2 == 0 && says(array, "cos") &&
         says(array, "sin");
}

// Whether most columns of the cosines, and of the sines, stand twice: in halves, or side by side.
bool mostly_repeats(const Dump& dump, const RotationReading& reading) {
  constexpr Index most = 8;
  constexpr double nearly_all = 0.9;
  const Index n = reading.pairs / 2, step = std::max<Index>(1, reading.rows / most);
  const auto repeat = [&](const RotationReading::Place& side) {
    Index halves = 0, neighbours = 0, all = 0;
    std::vector<double> row(static_cast<std::size_t>(reading.width));
    for (Index at = 0; at < reading.rows; at += step) {
      dump.arrays[side.array].read(at * reading.width, reading.width, row.data());
      const auto value = [&](Index j) { return row[static_cast<std::size_t>(side.at(j))]; };
      for (Index j = 0; j < n; ++j) {
        halves += value(j) == value(j + n);
        neighbours += value(2 * j) == value(2 * j + 1);
      }
      all += n;
    }
    return static_cast<double>(std::max(halves, neighbours)) >=
           nearly_all * static_cast<double>(all);
  };
  return n > 1 && repeat(reading.cosine) && repeat(reading.sine);
}

using Form = RotationReading::Form;

// What a reading shows of the truth: angles carry no amplitude, cosines and sines may carry scales,
// and keys have those of queries upside down.
RotationTruth as_read(RotationTruth truth, const RotationReading& reading) {
  if (reading.form == Form::angles) truth.magnitude = 1;
  if (reading.is_of_frequencies() && !truth.field.empty() && truth.field != truth.frequencies) {
    truth.frequencies = truth.unscaled = truth.field;
    truth.growth = angle_ulps_of(truth.frequencies, truth.unscaled, {});
  }
  if (!reading.scales) truth.log_scale = {};
  if (reading.scales == Side::key && truth.log_scale)
    truth.log_scale = [query = truth.log_scale](double position, std::size_t pair) {
      return -query(position, pair);
    };
  return truth;
}

// An effect whose cosines and sines are those of the reading.
Effect as_read(const Effect& effect, const RotationReading& reading) {
  const Rotation* rotation = std::get_if<Rotation>(&effect);
  const bool carries = rotation && rotation->scale && reading.scales && !reading.is_vectors();
  return carries ? Effect(carrying_scales(*rotation, *reading.scales)) : effect;
}

// Whether some of the axes before the channels, counted from the last one, have so many places in
// all, and others stand before them.
bool are_last_axes(const std::vector<Index>& shape, Index places) {
  Index product = 1;
  for (std::size_t axis = shape.size(); axis-- > 2;)
    if ((product *= shape[axis - 1]) == places) return true;
  return false;
}

// The truth for as many pairs as the reading has, and the reason if that is not what is meant.
std::optional<Attempt> attempt_of(const Expectation& expected, const Dump& dump,
                                  const RotationReading& reading, const RotationTruth& whole,
                                  const RequiredLayout& required, bool on_own_axis) {
  const RotationTruth truth = as_read(whole, reading);
  Attempt attempt{reading, truth, as_read(expected.effect, reading), {}, reading.cost};
  const bool table = std::holds_alternative<Table>(expected.effect);
  if (const auto reason = against(reading, required, table, truth.blocks)) {
    (required.by_default ? attempt.by_default : attempt.reasons).push_back(*reason);
    attempt.cost += 1;
  }
  if (reading.is_vectors() && 2 * reading.pairs < reading.width && reading.last != truth.last) {
    const auto word = [](bool last) { return last ? "last" : "first"; };
    attempt.reasons.push_back(
        {Cause::wrong_channels,
         fmt::format("a head's {} {} channels turn, where its {} are meant", word(reading.last),
                     2 * reading.pairs, word(truth.last))});
    attempt.cost += 1;
  }
  for (const auto& [layout, cosines, sines] :
       {std::tuple{"halves-adjacent", "by halves", "by neighbours"},
        std::tuple{"adjacent-halves", "by neighbours", "by halves"}})
    if (reading.layout == layout)
      attempt.reasons.push_back(
          {Cause::wrong_pairing,
           fmt::format("the cosines' columns repeat {} and the sines' {}: tables of two layouts",
                       cosines, sines)});
  // (sine, cosine) behind one another are a row of sinusoids; on an axis of their own a codebase
  // has (cosine, sine).
  if (reading.layout == "turns-swapped" && on_own_axis && expected.layout.empty()) {
    attempt.reasons.push_back(
        {Cause::sin_cos_swapped,
         "sines stand before cosines on an axis of two, where cosines go first"});
    attempt.cost += 1;
  }
  // Both ways round, such a vector is one of frequencies; a program reads it as that, but for one
  // that keeps periods.
  const bool keeps_periods = expected.dialect && expected.dialect->keeps_periods;
  if (reading.is_reciprocal() && !reading.named && expected.layout.empty() && !keeps_periods) {
    attempt.by_default.push_back(
        {Cause::frequencies_inverted,
         fmt::format("{0} stand where frequencies are meant (the default: nothing else said which; "
                     "--file-layout {0})",
                     reading.layout)});
    attempt.cost += 1;
  }
  if (keeps_periods && reading.form == RotationReading::Form::frequencies &&
      expected.layout.empty() &&
      dump.arrays[reading.cosine.array].name.find("inv") == std::string::npos) {
    attempt.reasons.push_back(
        {Cause::frequencies_inverted,
         fmt::format("frequencies stand where dialect {} keeps periods", expected.dialect->name)});
    attempt.cost += 1;
  }
  // The axes before the last may be the grid's own, and those before them count images.
  if (const Coordinates* places = coordinates_of(expected.effect);
      places && places->count && !reading.is_vectors())
    if (*places->count == reading.rows ||
        (table && are_last_axes(dump.arrays[reading.cosine.array].shape, *places->count)))
      attempt.reading.run = *places->count == reading.rows ? 0 : *places->count;
  const std::size_t axes = truth.axis.empty() ? 1 : *std::ranges::max_element(truth.axis) + 1;
  attempt.reading.per_axis = axes > 1 && !reading.is_vectors() && attempt.reading.run > 0 &&
                             reading.rows == reading.run * static_cast<Index>(axes);
  // Rows of several frames may lie on one axis.
  if (const Coordinates* places = coordinates_of(expected.effect);
      places && places->count && !reading.is_vectors() && attempt.reading.run == 0 &&
      reading.rows > *places->count && reading.rows % *places->count == 0) {
    attempt.reading.run = *places->count;
    attempt.is_repeated = true;
  }
  if (expected.rows == 1 && !reading.is_vectors() && reading.rows > 1 &&
      has_one_position(dump.arrays[reading.cosine.array].shape, reading.width))
    attempt.reading.run = 1;
  const Index slots = attempt.reading.run > 0 ? attempt.reading.run : reading.rows;
  if (!reading.is_vectors() && !attempt.reading.per_axis && slots < reading.rows &&
      reading.rows % slots == 0) {
    attempt.reading.extents = {reading.rows / slots, slots};
    attempt.reading.axis = 1;
  }
  const bool rows =
      reading.form == Form::turns || reading.form == Form::angles || reading.is_vectors();
  if (const auto most = rows_of(expected.effect);
      rows && most && expected.position(slots - 1) >= *most)
    throw UsageError(
        fmt::format("the dump has {} rows from position {} on, and {} has {} positions", slots,
                    expected.first, expected.encoding->name, *most));
  const auto pairs = static_cast<Index>(truth.frequencies.size());
  if (reading.form == Form::turns && reading.pairs == 2 * pairs && mostly_repeats(dump, reading))
    return {};  // a reading of both copies of each pair has it
  const bool is_row = table && reading.form == Form::turns &&
                      reading.cosine.array == reading.sine.array && truth.cosine_columns.empty();
  if (reading.pairs != pairs || (is_row && reading.width != truth.dim)) {
    if (!expected.remake) return {};
    const auto width = static_cast<double>(reading.width),
               twice = 2 * static_cast<double>(reading.pairs);
    // A rule that wants another width, as one of a part of the head does, leaves a plain ladder.
    std::optional<Expectation::Remade> remade;
    std::optional<RotationTruth> other;
    Settings width_settings;
    for (const Settings& changes :
         table ? std::vector<Settings>{{{"dim", width}}}
               : std::vector<Settings>{
                     {{"rotary-dim", twice}},
                     {{"dim", twice}},
                     {{"scaling", "none"}, {"rotary-dim", twice}},
                     {{"scaling", "none"}, {"dim", twice}},
                     {{"scaling", "none"}, {"partial-rotary-factor", 1.0}, {"dim", twice}}}) {
      remade = expected.remake(changes);
      other = remade ? rotation_truth(remade->effect) : std::nullopt;
      width_settings = changes;
      if (other && static_cast<Index>(other->frequencies.size()) == reading.pairs) break;
      other.reset();
    }
    if (!other) return {};
    attempt.truth = as_read(*other, reading);
    attempt.truth.shift = truth.shift;
    attempt.truth.width = width_settings;
    attempt.effect = as_read(remade->effect, reading);
    const bool is_default =
        expected.parameters.has("dim") && expected.parameters.origin("dim") == "default";
    attempt.reasons.push_back(
        {Cause::wrong_rotary_width,
         (is_row && reading.pairs == pairs
              ? fmt::format("rows have {} channels, where {} are meant", reading.width, truth.dim)
              : fmt::format("{} pairs of channels turn, where {} are meant", reading.pairs,
                            pairs)) +
             (is_default ? fmt::format(" (--dim {}, the default)", expected.parameters.spell("dim"))
                         : "")});
    attempt.cost += 1.05;
  }
  return attempt;
}

}  // namespace

TurnQuestion question_of(const Expectation& expected, const RotationTruth& truth,
                         std::optional<Side> side) {
  return {.axes = expected.axes,
          .rows = expected.rows,
          .blocks = truth.blocks,
          .backward = truth.backward,
          .scaled = truth.log_scale != nullptr,
          .carried = expected.dialect && expected.dialect->scales,
          .side = side,
          .factors = expected.layout == "freq-factors"};
}

namespace {

// A table cut to its first columns keeps their frequencies: base^(−2j/d) is (base^(n/d))^(−2j/n).
// Its last columns have them divided by base^(1 − n/d), as linear scaling does.
std::optional<Attempt> cut_to_pairs(const Expectation& expected, Attempt attempt, Index pairs,
                                    bool last) {
  const Parameters& meant = expected.parameters;
  if (attempt.reading.pairs >= pairs || !meant.has("base") || !expected.remake) return {};
  const double whole = meant.number("base").value(), n = static_cast<double>(attempt.reading.pairs),
               base = std::pow(whole, n / static_cast<double>(pairs));
  std::optional<Expectation::Remade> remade;
  for (const char* width : {"rotary-dim", "dim"}) {
    Settings changes{{width, 2 * n}, {"base", base}};
    if (last) {
      changes["scaling"] = "linear";
      changes["factor"] = whole / base;
    }
    if (!remade) remade = expected.remake(changes);
  }
  auto truth = remade ? rotation_truth(remade->effect) : std::nullopt;
  if (!truth || truth->frequencies.size() != attempt.truth.frequencies.size()) return {};
  attempt.truth.frequencies = truth->frequencies;
  attempt.truth.unscaled = truth->unscaled;
  attempt.truth.growth = truth->growth;
  attempt.truth.width.clear();
  attempt.effect = as_read(remade->effect, attempt.reading);
  attempt.reasons.back().sentence +=
      fmt::format(", with the frequencies of the {} of them", last ? "last" : "first");
  attempt.cost += 0.02;
  return attempt;
}

}  // namespace

std::vector<Attempt> attempts_of(const Expectation& expected, const Dump& dump,
                                 const RotationTruth& truth, const RequiredLayout& required,
                                 std::optional<Side> side) {
  const bool table = std::holds_alternative<Table>(expected.effect);
  const auto pairs = static_cast<Index>(truth.frequencies.size());
  const bool vector = std::ranges::all_of(dump.arrays, [](const Stored& array) {
    return std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) <= 1;
  });
  const bool are_sides = table && truth.cosine_columns.empty() && dump.arrays.size() == 2 &&
                         std::ranges::all_of(dump.arrays, [&](const Stored& array) {
                           return array.shape.size() > 1 && array.shape.back() == pairs &&
                                  array.shape == dump.arrays[0].shape;
                         });
  std::vector<RotationReading> readings =
      !table || vector || are_sides || !dump.before.empty()
          ? turn_readings(dump, pairs, question_of(expected, truth, side))
      : truth.cosine_columns.empty() ? sinusoid_readings(dump, truth)
                                     : grid_readings(dump, truth);
  // Where no name says which side an array is, the table's own numbers do.
  if (are_sides && std::ranges::none_of(dump.arrays, [](const Stored& array) {
        return side_said_by(array).has_value();
      }))
    for (std::size_t i = 0, count = readings.size(); i < count; ++i) {
      readings.push_back(readings[i]);
      std::swap(readings.back().cosine.array, readings.back().sine.array);
    }
  if (vector && dump.before.empty() && truth.field.size() > truth.frequencies.size())
    for (RotationReading& reading : turn_readings(dump, static_cast<Index>(truth.field.size()),
                                                  question_of(expected, truth, side)))
      if (reading.is_of_frequencies()) readings.push_back(std::move(reading));
  if (table && vector && truth.cosine_columns.empty() && dump.arrays[0].size() == truth.dim) {
    std::erase_if(readings,
                  [](const RotationReading& reading) {  // a row of the table, if not these
                    return reading.form < Form::frequencies;
                  });
    std::ranges::copy(sinusoid_readings(dump, truth), std::back_inserter(readings));
  }
  if (!dump.before.empty()) {  // pairs that turn beyond or short of the width that is meant
    const std::vector<RotationReading> meant = readings;
    const Index width = dump.arrays[0].shape.back(), changed = (changed_channels(dump) + 1) / 2;
    std::vector<Index> others{width / 2, 2 * pairs * pairs / std::max<Index>(1, width), 2 * pairs,
                              pairs / 2};
    if (std::ranges::find(others, changed) == others.end()) others.push_back(changed);
    for (const Index other : others)
      if (other != pairs && other > 0 && 2 * other <= dump.arrays[0].shape.back())
        for (RotationReading reading : meant) {
          if (reading.last && 2 * other == reading.width) continue;
          reading.pairs = other;
          readings.push_back(reading);
        }
  }
  const std::vector<Index>& shape = dump.arrays[0].shape;
  const bool on_own_axis = shape.size() > 2 && shape.back() == 2;
  std::vector<Attempt> attempts;
  std::vector<std::string> names;
  for (const RotationReading& reading : readings) {
    if (std::ranges::find(names, reading.layout) == names.end()) names.push_back(reading.layout);
    if (!expected.layout.empty() && expected.layout != reading.layout) continue;
    if (expected.layout.empty() && says_one_of_both(dump, reading)) continue;
    // One axis alone is a vector of frequencies, unless one position was asked for.
    const bool is_asked = expected.rows && (expected.rows == 1 || dump.arrays.size() > 1 ||
                                            side_said_by(dump.arrays[0]));
    if (reading.form <= Form::angles && reading.rows == 1 && !is_asked &&
        dump.arrays[0].shape.size() == 1)
      continue;
    if (auto attempt = attempt_of(expected, dump, reading, truth, required, on_own_axis)) {
      attempts.push_back(*attempt);
      for (const bool last : {false, true})
        if (truth.axis.empty() && truth.cosine_columns.empty())
          if (auto cut = cut_to_pairs(expected, *attempt, pairs, last))
            attempts.push_back(std::move(*cut));
    }
  }
  if (attempts.empty() && !expected.layout.empty() &&
      std::ranges::find(names, expected.layout) == names.end())
    throw UsageError(fmt::format("--file-layout {} does not suit {} of shape {}: choose {}",
                                 expected.layout, dump.arrays[0].shown,
                                 spell_shape(dump.arrays[0].shape), fmt::join(names, ", ")));
  if (attempts.empty())
    throw UsageError(fmt::format(
        "{} has the shape {}, which is none of {} pairs: candidates were {}", dump.arrays[0].shown,
        spell_shape(dump.arrays[0].shape), pairs, fmt::join(names, ", ")));
  return attempts;
}

}  // namespace pe
