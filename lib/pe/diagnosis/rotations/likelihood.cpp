// How much a reading looks like turns.
#include "pe/diagnosis/rotations/likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/rest.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

// Part of the frequencies that are positive, at most 1 and no larger than the one before, or that
// are meant, in any order; factors divide, and so are 1 or more.
double descent(const RotationObservation& observation) {
  const std::vector<double>& f = observation.measured();
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const bool factors = observation.reading().form == Form::factors;
  const bool frequencies = observation.reading().form == Form::frequencies;
  std::size_t good = 0, backwards = 0;  // from the first to the last; from the last to the first
  std::size_t known = 0;                // some pair's that is meant
  constexpr double near = 1e-3;
  std::vector<double> meant = observation.truth().frequencies;
  std::ranges::sort(meant);
  for (std::size_t j = 0; j < f.size(); ++j) {
    const double most = factors && j < unscaled.size() ? unscaled[j] : j > 0 ? f[j - 1] : 1;
    const bool still = f[j] == 0 && frequencies,
               is_one = std::isfinite(f[j]) && (still || f[j] > 0);
    good += is_one && f[j] <= 1.01 * most;
    backwards += is_one && frequencies && f[j] <= 1.01 * (j + 1 < f.size() ? f[j + 1] : 1);
    const auto next = std::ranges::lower_bound(meant, f[j] / (1 + near));
    known += is_one && !factors && next != meant.end() && *next <= f[j] * (1 + near);
  }
  return f.empty() ? 0
                   : static_cast<double>(std::max({good, backwards, known})) /
                         static_cast<double>(f.size());
}

// Part of the turns whose magnitude is the amplitude times a power of the pair's scale.
double on_circle(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                 double amplitude) {
  std::size_t good = 0, all = 0;
  const double tolerance = 0.01 + 4 * observation.grain();
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j, ++all) {
      const double want =
          !hypothesis.log_scale
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
  if (!hypothesis.log_scale) return on_circle(observation, hypothesis, observation.amplitude());
  double best = 0;
  for (const double power : {1.0, 0.0, -1.0, 2.0}) {
    hypothesis.scale_power = power;
    best = std::max(best, on_circle(observation, hypothesis, observation.truth().magnitude));
  }
  return best;
}

namespace {

// Share of the columns that grow by the same step over rows 1, 1 + stretch and 1 + 2·stretch (row 0
// is often special), by more than the rounding of what stands there.
double straight_share(const Stored& array, Index width, Index stretch) {
  std::vector<double> values(static_cast<std::size_t>(3 * width));
  for (Index i = 0; i < 3; ++i)
    array.read((1 + i * stretch) * width, width, values.data() + i * width);
  Index good = 0;
  for (Index j = 0; j < width; ++j) {
    const auto at = [&](Index i) { return values[static_cast<std::size_t>(i * width + j)]; };
    const double step = at(1) - at(0), next = at(2) - at(1),
                 rounding = 4 * unit_roundoff(array.dtype) * std::fabs(at(2));
    good += step > rounding && std::fabs(next - step) <= 0.01 * step + rounding + 1e-12;
  }
  return static_cast<double>(good) / static_cast<double>(width);
}

// Whether no number of some rows, the last among them, is larger than an amplitude is: the first
// pair's angle is there after a few rows.
bool are_small(const Stored& array, Index width, Index rows) {
  constexpr Index looked = 16;
  constexpr double most = 1.7;
  std::vector<double> row(static_cast<std::size_t>(width));
  for (Index i = 1; i <= looked; ++i) {
    array.read((rows * i / looked - 1) * width, width, row.data());
    if (!std::ranges::all_of(row, [](double x) { return std::fabs(x) <= most; })) return false;
  }
  return true;
}

}  // namespace

// Angles grow by the same step from row to row; far out, in a short type, over many rows alone.
double straightness(const Dump& dump, const RotationReading& reading) {
  if (reading.rows < 4) return 0.5;
  const Index rows = reading.run > 0 ? std::min(reading.rows, reading.run) : reading.rows;
  if (rows >= 64 && are_small(dump.arrays[reading.cosine.array], reading.width, rows)) return -1;
  double most = 0;
  for (const Index stretch : {Index{1}, Index{8}, (rows - 2) / 2})
    if (stretch > 0 && 2 * stretch + 2 <= rows)
      most =
          std::max(most, straight_share(dump.arrays[reading.cosine.array], reading.width, stretch));
  return most;
}

namespace {

// Rows `step` apart, [row, column].
std::vector<double> rows_apart(const Stored& array, Index width, Index rows, Index step) {
  std::vector<double> x(static_cast<std::size_t>(rows * width));
  for (Index r = 0; r < rows; ++r) array.read(r * step * width, width, x.data() + r * width);
  return x;
}

// A column, `width` cells a row, beside a wave of equal steps.
struct Wave {
  bool is_one = false;
  bool bends = false;  // as no line does: its steps take it past a twentieth of a turn
};

// Nothing where it stands still.
std::optional<Wave> wave_in(const double* column, Index width, Index rows, double amplitude,
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
  return Wave{within && std::fabs(twice) <= 2.01, std::fabs(twice) < 1.9};
}

// What rounding may add to numbers below the amplitude: those of a shorter type may stand in a
// longer one.
double rounding_of(const std::vector<double>& x, DType type, double amplitude) {
  double coarsest = unit_roundoff(type);
  for (const DType narrow : {DType::f16, DType::bf16})
    if (std::ranges::all_of(x, [&](double value) { return rounded_once(value, narrow) == value; }))
      coarsest = std::max(coarsest, unit_roundoff(narrow));
  return 8 * coarsest * amplitude;
}

struct Waviness {
  double share = 0;  // of the columns that move
  bool bend = false;
};

// Columns of cosines, or of sines, of equal steps: x(p+h) + x(p−h) = 2 cos hθ · x(p), and no more
// than the amplitude. Columns that stand still tell nothing, and must not be nearly all of them:
// rows lie as far apart as it takes in the file's type.
Waviness waves_in(const Dump& dump, const RotationReading& reading, double amplitude) {
  const Index all = reading.run > 0 ? reading.run : reading.rows;
  if (all < 5) return {0.5};
  const Stored& array = dump.arrays[reading.cosine.array];
  for (Index step = 1; step == 1 || all / step >= 16; step *= 8) {
    const Index rows = std::min<Index>((all - 1) / step + 1, 64);
    const std::vector<double> x = rows_apart(array, reading.width, rows, step);
    const double rounding = rounding_of(x, array.dtype, amplitude);
    Index good = 0, moving = 0, bent = 0;
    for (Index j = 0; j < reading.width; ++j) {
      const auto wave = wave_in(x.data() + j, reading.width, rows, amplitude, rounding);
      moving += wave.has_value();
      good += wave && wave->is_one;
      bent += wave && wave->is_one && wave->bends;
    }
    if (4 * moving >= reading.width)
      return {static_cast<double>(good) / static_cast<double>(moving), bent > 0};
  }
  return {};
}

}  // namespace

double waviness(const Dump& dump, const RotationReading& reading, double usual, double seen) {
  const double share = waves_in(dump, reading, usual).share;
  if (seen <= usual || share >= 0.9) return share;
  const Waviness high = waves_in(dump, reading, seen);
  return high.bend ? std::max(share, high.share) : share;
}

// Vectors pass the channels that do not turn through, unless all of one is 0.
double share_of_changed_rest(const Dump& dump, const RotationReading& reading,
                             const std::vector<Index>& rows) {
  std::vector<double> values(static_cast<std::size_t>(reading.width));
  const auto changed = std::ranges::count_if(rows, [&](Index row) {
    if (changed_rest(dump, reading, row, 1).empty()) return false;
    dump.arrays[0].read(row * reading.width, reading.width, values.data());
    return std::ranges::any_of(values, [](double value) { return value != 0; });
  });
  return rows.empty() ? 0 : static_cast<double>(changed) / static_cast<double>(rows.size());
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

// Part of the rows of a grid whose cells are no larger than an amplitude, where some are negative:
// angles of a grid's cells are not.
double within(const RotationObservation& observation, double amplitude) {
  std::size_t good = 0;
  bool falls = false;
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    bool all = true;
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double x = observation.cosine(i, j) + observation.sine(i, j);  // one of them is 0
      all = all && std::fabs(x) <= 1.01 * amplitude;
      falls = falls || x < 0;
    }
    good += all;
  }
  return falls ? static_cast<double>(good) / static_cast<double>(observation.rows().size()) : 0;
}

// One side alone are waves from row to row, or the meant ones at rows in any order; that is likely,
// too, of small angles read as sines, and so crowds out no other reading. Of any amplitude, where
// they bend as angles do not.
double of_one_side(const Dump& dump, const Attempt& attempt,
                   const RotationObservation& observation) {
  constexpr double enough = 0.9, second = 0.6;  // with all copies equal still less than waves
  const double amplitude = std::clamp(observation.amplitude(), 1.0, 2 * attempt.truth.magnitude);
  const double waves = waviness(dump, attempt.reading, amplitude, observation.amplitude());
  if (waves >= enough) return waves;

  const bool is_grid = !observation.start().axis.empty();
  const double share = is_grid ? within(observation, amplitude) : placed(observation);
  return share >= enough ? second : 0;
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
