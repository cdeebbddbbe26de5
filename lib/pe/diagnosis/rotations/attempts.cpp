// Attempts: what the command demands of a layout, and the truth for as many pairs as a reading has.
#include "pe/diagnosis/rotations/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/base/error.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

std::string origin_of(const Expectation& expected, std::string_view name) {
  return expected.parameters.has(name) ? expected.parameters.origin(name) : "default";
}

std::string_view name_of(Pairing pairing) {
  return pairing == Pairing::adjacent ? "interleaved"
         : pairing == Pairing::halves ? "halves"
                                      : "adjacent-to-halves";
}

std::string_view channels_in(Pairing pairing) {
  return pairing == Pairing::adjacent ? "2j and 2j+1"
         : pairing == Pairing::halves ? "j and j+n"
                                      : "2j and 2j+1, written to j and j+n,";
}

std::string origin_of(const RequiredLayout& required) {
  return required.by_default ? required.from + ": nothing else said which" : required.from;
}

std::optional<Reason> against_pairing(const RotationReading& reading,
                                      const RequiredLayout& required, Index blocks) {
  const bool vectors = reading.form == Form::vectors;
  if (!required.pairing || !reading.pairing || !(required.by_hand || vectors)) return {};
  if (*reading.pairing == *required.pairing && (!vectors || reading.blocks == blocks)) return {};
  if (!vectors && *required.pairing == Pairing::adjacent_to_halves) return {};
  const std::string_view within = vectors && blocks > 1 ? " of each block" : "";
  return Reason{
      Cause::wrong_pairing,
      fmt::format("channels {} make a pair ({}), where {}{} is meant ({})",
                  channels_in(*reading.pairing),
                  vectors && reading.blocks > 1 ? reading.layout : name_of(*reading.pairing),
                  name_of(*required.pairing), within, origin_of(required))};
}

// What a reading has against it, as a reason; nothing where it is as required.
std::optional<Reason> against(const RotationReading& reading, const RequiredLayout& required,
                              bool table, Index blocks) {
  if (reading.form == Form::frequencies || reading.form == Form::periods ||
      reading.form == Form::factors)
    return {};
  if (table) {
    if (required.layout.empty() || required.layout == reading.layout) return {};
    return Reason{Cause::wrong_order,
                  fmt::format("sines and cosines stand as in layout {}, where {} is meant ({})",
                              reading.layout, required.layout, origin_of(required))};
  }
  if (const auto reason = against_pairing(reading, required, blocks)) return reason;
  if (!required.layout.empty() && reading.form != Form::vectors &&
      required.layout != reading.layout) {
    const bool exchanged = (reading.layout == "sin-cos" && required.layout == "cos-sin") ||
                           (reading.layout == "cos-sin" && required.layout == "sin-cos") ||
                           (reading.layout == "turns-swapped" && required.layout == "turns");
    return Reason{exchanged ? Cause::sin_cos_swapped : Cause::wrong_order,
                  fmt::format("the array's layout is {}, where {} has {}", reading.layout,
                              required.layout_from, required.layout)};
  }
  return {};
}

// The truth for as many pairs as the reading has, and the reason if that is not what is meant.
std::optional<Attempt> attempt_of(const Expectation& expected, const RotationReading& reading,
                                  const RotationTruth& truth, const RequiredLayout& required) {
  Attempt attempt{reading, truth, expected.effect, {}, reading.cost, false, {}, {}};
  const bool table = std::holds_alternative<Table>(expected.effect);
  if (const auto reason = against(reading, required, table, truth.blocks)) {
    (required.by_default ? attempt.by_default : attempt.reasons).push_back(*reason);
    attempt.cost += 1;
  }
  // Both ways round, such a vector is one of frequencies; a program reads it as that.
  if (reading.form == Form::periods && !reading.named && expected.layout.empty()) {
    attempt.by_default.push_back(
        {Cause::frequencies_inverted,
         "periods stand where frequencies are meant (the default: nothing else said which; "
         "--file-layout periods)"});
    attempt.cost += 1;
  }
  if (reading.form != Form::vectors) attempt.truth.scale = {};
  if (reading.key && truth.scale)
    attempt.truth.scale = [scale = truth.scale](double position, std::size_t pair) {
      return 1 / scale(position, pair);
    };
  if (reading.form == Form::angles) attempt.truth.magnitude = 1;  // angles carry none
  const std::size_t axes = truth.axis.empty() ? 1 : *std::ranges::max_element(truth.axis) + 1;
  attempt.reading.per_axis = axes > 1 && reading.form != Form::vectors && reading.run > 0 &&
                             reading.rows == reading.run * static_cast<Index>(axes);
  // The axes before the last may be the grid's own.
  if (const Coordinates* places = coordinates_of(expected.effect);
      places && places->count == reading.rows && reading.form != Form::vectors)
    attempt.reading.run = 0;
  const Index slots = attempt.reading.run > 0 ? attempt.reading.run : reading.rows;
  const bool rows =
      reading.form == Form::turns || reading.form == Form::angles || reading.form == Form::vectors;
  if (const auto most = rows_of(expected.effect);
      rows && most && expected.position(slots - 1) >= *most)
    throw UsageError(
        fmt::format("the dump has {} rows from position {} on, and {} has {} positions", slots,
                    expected.first, expected.encoding->name, *most));
  const auto pairs = static_cast<Index>(truth.frequencies.size());
  if (reading.pairs != pairs) {
    if (!expected.remake) return {};
    const auto width = static_cast<double>(reading.width),
               twice = 2 * static_cast<double>(reading.pairs);
    auto remade =
        expected.remake(table ? Settings{{"dim", width}} : Settings{{"rotary-dim", twice}});
    if (!remade && !table) remade = expected.remake({{"dim", twice}});
    if (!remade) return {};
    const auto other = rotation_truth(remade->effect);
    if (!other || static_cast<Index>(other->frequencies.size()) != reading.pairs) return {};
    attempt.truth = *other;
    attempt.truth.shift = truth.shift;
    if (reading.form != Form::vectors) attempt.truth.scale = {};
    if (reading.key && other->scale)
      attempt.truth.scale = [scale = other->scale](double position, std::size_t pair) {
        return 1 / scale(position, pair);
      };
    attempt.effect = remade->effect;
    if (reading.form == Form::angles) attempt.truth.magnitude = 1;
    attempt.reasons.push_back(
        {Cause::wrong_rotary_width,
         fmt::format("{} pairs of channels turn, where {} are meant", reading.pairs, pairs)});
    attempt.cost += 1.05;
  }
  return attempt;
}

}  // namespace

namespace {

RequiredLayout required_of_table(const Expectation& expected) {
  const bool grid = std::get<Table>(expected.effect).grid.has_value();
  const char* name = grid ? "convention" : "layout";
  const std::string origin = origin_of(expected, name);
  RequiredLayout required;
  required.by_default = origin == "default";
  if (grid) required.layout = "as meant";
  if (!grid && expected.parameters.has("layout"))
    required.layout = expected.parameters.choice("layout");
  required.from = origin == "default" ? "the default" : origin;
  return required;
}

// Who decides which channels make a pair: a flag, a codebase whose kernels know one pairing, the
// model's family, a codebase's default, and the encoding's own.
void require_pairing(const Expectation& expected, RequiredLayout& required) {
  const bool from_config = std::ranges::any_of(
      expected.parameters.entries(),
      [](const Parameters::Entry& entry) { return entry.origin.starts_with("config "); });
  const Dialect* dialect = expected.dialect;
  const auto from_dialect = [&](Pairing pairing) {
    required.pairing = pairing;
    required.from = fmt::format("dialect {}", dialect->name);
  };
  for (const char* name : {"layout", "pairing"})
    if (const std::string origin = origin_of(expected, name);
        !required.by_hand && expected.parameters.has(name) && origin != "default" &&
        !(name[0] == 'l' && expected.parameters.choice("layout") == "pairs")) {
      required.from = origin;
      required.by_hand = origin.starts_with("flag ") || origin.starts_with("manifest ");
    }
  if (required.by_hand) return;
  if (dialect && dialect->pairing) return from_dialect(*dialect->pairing);
  if (!required.from.empty()) return;
  if (expected.parameters.has("convention")) {
    required.from = fmt::format("convention {}", expected.parameters.choice("convention"));
  } else if (!expected.parameters.has("pairing")) {
    required.from = expected.encoding->name;
  } else if (from_config) {
    required.from = "the model's family";
  } else if (dialect && dialect->usual_pairing) {
    from_dialect(*dialect->usual_pairing);
  } else {
    required.from = "the default";
    required.by_default = true;
  }
}

}  // namespace

RequiredLayout required_layout(const Expectation& expected) {
  if (std::holds_alternative<Table>(expected.effect)) return required_of_table(expected);
  RequiredLayout required;
  required.pairing = std::get<Rotation>(expected.effect).pairing;
  require_pairing(expected, required);
  if (expected.dialect && expected.dialect->steps) {
    required.layout = row_of(expected.dialect->keeping).name;
    required.layout_from = fmt::format("dialect {}", expected.dialect->name);
  }
  return required;
}

VectorQuestion question_of(const Expectation& expected, const RotationTruth& truth,
                           std::optional<bool> key) {
  return {expected.axes, expected.rows, truth.blocks, truth.scale != nullptr, key};
}

namespace {

// A table cut to its first columns keeps their frequencies: base^(−2j/d) is (base^(n/d))^(−2j/n).
std::optional<Attempt> cut_to_first_pairs(const Expectation& expected, Attempt attempt,
                                          Index pairs) {
  const Parameters& meant = expected.parameters;
  if (attempt.reading.pairs >= pairs || !meant.has("base") || !expected.remake) return {};
  const auto n = static_cast<double>(attempt.reading.pairs);
  const double base = std::pow(meant.number("base").value(), n / static_cast<double>(pairs));
  auto remade = expected.remake({{"rotary-dim", 2 * n}, {"base", base}});
  if (!remade) remade = expected.remake({{"dim", 2 * n}, {"base", base}});
  auto truth = remade ? rotation_truth(remade->effect) : std::nullopt;
  if (!truth || truth->frequencies.size() != attempt.truth.frequencies.size()) return {};
  attempt.truth.frequencies = truth->frequencies;
  attempt.truth.unscaled = truth->unscaled;
  attempt.truth.growth = truth->growth;
  attempt.effect = remade->effect;
  attempt.reasons.back().sentence += ", with the frequencies of the first of them";
  attempt.cost += 0.02;
  return attempt;
}

}  // namespace

std::vector<Attempt> attempts_of(const Expectation& expected, const Dump& dump,
                                 const RotationTruth& truth, const RequiredLayout& required,
                                 std::optional<bool> key) {
  const bool table = std::holds_alternative<Table>(expected.effect);
  const auto pairs = static_cast<Index>(truth.frequencies.size());
  const bool vector = std::ranges::all_of(dump.arrays, [](const Stored& array) {
    return std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) <= 1;
  });
  std::vector<RotationReading> readings =
      !table || vector || !dump.before.empty()
          ? turn_readings(dump, pairs, question_of(expected, truth, key))
      : truth.cosine_columns.empty() ? sinusoid_readings(dump, truth.dim)
                                     : grid_readings(dump, truth);
  if (table && vector && truth.cosine_columns.empty() && dump.arrays[0].size() == truth.dim) {
    std::erase_if(readings,
                  [](const RotationReading& reading) {  // a row of the table, if not these
                    return reading.form < Form::frequencies;
                  });
    std::ranges::copy(sinusoid_readings(dump, truth.dim), std::back_inserter(readings));
  }
  if (!dump.before.empty()) {  // pairs that turn beyond or short of the width that is meant
    const std::vector<RotationReading> meant = readings;
    for (const Index other : {dump.arrays[0].shape.back() / 2,
                              2 * pairs * pairs / std::max<Index>(1, dump.arrays[0].shape.back()),
                              2 * pairs, pairs / 2})
      if (other != pairs && other > 0 && 2 * other <= dump.arrays[0].shape.back())
        for (RotationReading reading : meant) {
          reading.pairs = other;
          readings.push_back(reading);
        }
  }
  std::vector<Attempt> attempts;
  std::vector<std::string> names;
  for (const RotationReading& reading : readings) {
    if (std::ranges::find(names, reading.layout) == names.end()) names.push_back(reading.layout);
    if (!expected.layout.empty() && expected.layout != reading.layout) continue;
    // One axis alone is a vector of frequencies, unless one position was asked for.
    if (reading.form <= Form::angles && reading.rows == 1 && !expected.rows &&
        dump.arrays[0].shape.size() == 1)
      continue;
    if (auto attempt = attempt_of(expected, reading, truth, required)) {
      attempts.push_back(*attempt);
      if (!table && truth.axis.empty())
        if (auto cut = cut_to_first_pairs(expected, *attempt, pairs))
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

namespace {

// Part of the frequencies that are positive, at most 1 and no larger than the one before; factors
// divide, and so are 1 or more.
double descent(const RotationObservation& observation) {
  const std::vector<double>& f = observation.measured();
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const bool factors = observation.reading().form == Form::factors;
  const bool frequencies = observation.reading().form == Form::frequencies;
  std::size_t good = 0, backwards = 0;  // from the first to the last; from the last to the first
  for (std::size_t j = 0; j < f.size(); ++j) {
    const double most = factors && j < unscaled.size() ? unscaled[j] : j > 0 ? f[j - 1] : 1;
    const bool still = f[j] == 0 && frequencies,
               is_one = std::isfinite(f[j]) && (still || f[j] > 0);
    good += is_one && f[j] <= 1.01 * most;
    backwards += is_one && frequencies && f[j] <= 1.01 * (j + 1 < f.size() ? f[j + 1] : 1);
  }
  return f.empty() ? 0
                   : static_cast<double>(std::max(good, backwards)) / static_cast<double>(f.size());
}

// Part of the turns whose magnitude is the amplitude times a power of the pair's scale.
double on_circle(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                 double amplitude) {
  std::size_t good = 0, all = 0;
  const double tolerance = 0.01 + 4 * unit_roundoff(observation.dtype());
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j, ++all) {
      const double want =
          !hypothesis.scale
              ? amplitude
              : amplitude *
                    scale_at(hypothesis, hypothesis.position(observation.rows()[i], 0), j).scale;
      good += std::fabs(std::hypot(observation.cosine(i, j), observation.sine(i, j)) - want) <=
              tolerance * want;
    }
  return all > 0 ? static_cast<double>(good) / static_cast<double>(all) : 0;
}

}  // namespace

// Part of the observed turns that could be turns of this reading: on a circle, or as angles in
// proportion to the row.
double plausibility(const RotationObservation& observation) {
  if (!observation.has_rows()) return descent(observation);
  RotationHypothesis hypothesis = observation.start();
  if (!hypothesis.scale) return on_circle(observation, hypothesis, observation.amplitude());
  double best = 0;
  for (const double power : {1.0, 0.0, -1.0, 2.0}) {
    hypothesis.scale_power = power;
    best = std::max(best, on_circle(observation, hypothesis, observation.truth().magnitude));
  }
  return best;
}

// Angles grow by the same step from row to row.
double straightness(const Dump& dump, const RotationReading& reading) {
  if (reading.rows < 4) return 0.5;
  std::vector<double> values(static_cast<std::size_t>(4 * reading.width));
  dump.arrays[reading.cosine.array].read(0, 4 * reading.width, values.data());
  Index good = 0;
  for (Index j = 0; j < reading.width; ++j) {
    const auto at = [&](Index row) {
      return values[static_cast<std::size_t>(row * reading.width + j)];
    };
    const double step = at(2) - at(1), next = at(3) - at(2);
    good += step > 0 && std::fabs(next - step) <=
                            (0.01 + 4 * unit_roundoff(dump.arrays[0].dtype)) * step + 1e-12;
  }
  return static_cast<double>(good) / static_cast<double>(reading.width);
}

namespace {

// Rows `step` apart, [row, column].
std::vector<double> rows_apart(const Stored& array, Index width, Index rows, Index step) {
  std::vector<double> x(static_cast<std::size_t>(rows * width));
  for (Index r = 0; r < rows; ++r) array.read(r * step * width, width, x.data() + r * width);
  return x;
}

// Whether a column, `width` cells a row, is a wave of equal steps; nothing where it stands still.
std::optional<bool> is_wave(const double* column, Index width, Index rows, double amplitude,
                            double rounding) {
  const auto at = [&](Index row) { return column[row * width]; };
  double product = 0, square = 0, step = 0, lowest = at(2), highest = at(2);
  bool within = true;
  for (Index p = 2; p + 1 < rows; ++p) {  // row 0 is often special
    product += (at(p + 1) + at(p - 1)) * at(p);
    square += at(p) * at(p);
    within = within && std::fabs(at(p)) <= 1.01 * amplitude;
    step = std::max(step, std::fabs(at(p) - at(p - 1)));
    lowest = std::min(lowest, at(p));
    highest = std::max(highest, at(p));
  }
  if (!(highest - lowest > rounding)) return {};
  const double twice = square > 0 ? product / square : 2;
  for (Index p = 2; p + 1 < rows; ++p)
    within = within && std::fabs(at(p + 1) + at(p - 1) - twice * at(p)) <= rounding + 0.01 * step;
  return within && std::fabs(twice) <= 2.01;
}

}  // namespace

// Columns of cosines, or of sines, of equal steps: x(p+h) + x(p−h) = 2 cos hθ · x(p), and no more
// than the amplitude. Columns that stand still tell nothing, and must not be nearly all of them:
// rows lie as far apart as it takes in the file's type.
double waviness(const Dump& dump, const RotationReading& reading, double amplitude) {
  const Index all = reading.run > 0 ? reading.run : reading.rows;
  if (all < 5) return 0.5;
  const Stored& array = dump.arrays[reading.cosine.array];
  const double rounding = 8 * unit_roundoff(array.dtype) * amplitude;
  for (Index step = 1; step == 1 || all / step >= 16; step *= 8) {
    const Index rows = std::min<Index>((all - 1) / step + 1, 64);
    const std::vector<double> x = rows_apart(array, reading.width, rows, step);
    Index good = 0, moving = 0;
    for (Index j = 0; j < reading.width; ++j) {
      const auto wave = is_wave(x.data() + j, reading.width, rows, amplitude, rounding);
      moving += wave.has_value();
      good += wave.value_or(false);
    }
    if (4 * moving >= reading.width) return static_cast<double>(good) / static_cast<double>(moving);
  }
  return 0;
}

// Vectors pass the channels that do not turn through.
bool passes_rest(const Dump& dump, const RotationReading& reading, const std::vector<Index>& rows) {
  if (reading.form != Form::vectors || 2 * reading.pairs == reading.width) return true;
  const Index rest = reading.width - 2 * reading.pairs;
  std::vector<double> x(static_cast<std::size_t>(rest)), y = x;
  for (const Index row : rows) {
    dump.before[0].read(row * reading.width + 2 * reading.pairs, rest, x.data());
    dump.arrays[0].read(row * reading.width + 2 * reading.pairs, rest, y.data());
    if (x != y) return false;
  }
  return true;
}

namespace {

// Part of the probes that stand at some position, wherever it is.
double placed(const RotationObservation& observation) {
  const RotationHypothesis hypothesis = observation.start();
  if (!hypothesis.axis.empty() || observation.rows().size() < 2) return 0;
  const std::vector<double> implied = observation.implied_positions(hypothesis);
  const auto good = std::ranges::count_if(implied, [](double p) { return std::isfinite(p); });
  return static_cast<double>(good) / static_cast<double>(implied.size());
}

// One side alone are waves from row to row, or the meant ones at rows in any order; that is likely,
// too, of small angles read as sines, and so crowds out no other reading.
double of_one_side(const Dump& dump, const Attempt& attempt,
                   const RotationObservation& observation) {
  constexpr double enough = 0.9, second = 0.6;  // with all copies equal still less than waves
  const double amplitude = std::clamp(observation.amplitude(), 1.0, 2 * attempt.truth.magnitude);
  const double waves = waviness(dump, attempt.reading, amplitude);
  if (waves >= enough) return waves;
  return placed(observation) >= enough ? second : 0;
}

}  // namespace

Likelihood likelihood(const Expectation& expected, const Dump& dump, const Attempt& attempt,
                      const RotationObservation& observation) {
  const double share = attempt.reading.form == Form::angles ? straightness(dump, attempt.reading)
                       : attempt.reading.is_one_sided() ? of_one_side(dump, attempt, observation)
                                                        : plausibility(observation);
  if (!attempt.reading.cosine_copy) return {share, false};
  const std::vector<Index>& rows = observation.rows();
  const RotationObservation copy(expected, dump, attempt.reading, attempt.truth, rows, true);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      equal += observation.cosine(i, j) == copy.cosine(i, j) &&
               observation.sine(i, j) == copy.sine(i, j);
  const std::size_t cells = rows.size() * observation.pairs();
  return {share + 0.25 * static_cast<double>(equal) /
                      static_cast<double>(std::max<std::size_t>(1, cells)),
          equal < cells};
}

}  // namespace pe
