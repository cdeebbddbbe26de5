// Rotations and tables of sinusoids as dumps hold them: the turns as they stand, and the steady
// turns that they are nearest to.
#include "pe/diagnosis/rotations/rotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <numbers>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/observe/observe.hpp"

namespace pe::observe_parts {
namespace {

constexpr double u = 0x1p-24;

// What steady turns must be moved by to lie nearest to the dump's: angles are fitted to p·θ + φ by
// least squares, and to p·θ.
struct Fitted {
  std::vector<double> frequencies, phases, still;
};

Fitted fit(const RotationObservation& observation, const std::vector<double>& start) {
  const std::size_t n = observation.pairs();
  struct Sums {
    double angle = 0, moment = 0, from_zero = 0;
  };
  std::vector<Sums> sums(n);
  std::vector<std::complex<double>> base(n, 0);
  const RotationHypothesis hypothesis = observation.start();
  const Index reference =
      observation.slots() > 2 ? 1 : 0;  // position 0 is often special, and a fit starts behind it
  const auto rows = static_cast<double>(observation.slots() - reference);
  const double first = hypothesis.position(reference, 0), middle = first + (rows - 1) / 2,
               spread = rows * (rows * rows - 1) / 12, square = spread + rows * middle * middle;
  observation.scan([&](Index row, const double* cosine, const double* sine) {
    if (row < reference) return true;
    const double p = hypothesis.position(row, 0);
    for (std::size_t j = 0; j < n; ++j) {
      const std::complex<double> z =
          std::complex(cosine[j], sine[j]) * std::polar(1.0, -p * start[j]);
      if (row == reference) base[j] = std::abs(z) > 0 ? std::conj(z) / std::abs(z) : 1;
      const double off = std::arg(z * base[j]),
                   whole = std::remainder(off - std::arg(base[j]), 2 * std::numbers::pi);
      sums[j].angle += off;
      sums[j].moment += (p - middle) * off;
      sums[j].from_zero += p * whole;
    }
    return true;
  });
  Fitted fitted;
  for (std::size_t j = 0; j < n; ++j) {
    const double slope = spread > 0 ? sums[j].moment / spread : 0;
    fitted.frequencies.push_back(start[j] + slope);
    fitted.phases.push_back(sums[j].angle / rows - std::arg(base[j]) - slope * middle);
    fitted.still.push_back(start[j] + (square > 0 ? sums[j].from_zero / square : 0));
  }
  return fitted;
}

std::vector<Real> reals(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

// The dump's turns [position, pair], cosines and sines apart, without the scales that they carry.
auto reader(const Dump& dump, const LikelyReading& likely, const PositionRange& has) {
  return [dump, reading = likely.reading, log_scale = likely.truth.log_scale, has](
             const PositionRange& positions, DType dtype, std::byte* cosine, std::byte* sine) {
    check_has(has, positions, dump.arrays[reading.cosine.array]);
    for_runs(has, positions, [&](Index row, Index count, Index at) {
      std::vector<double> c(static_cast<std::size_t>(count * reading.pairs)), s(c.size()),
          slack(c.size());
      read_turns(dump, reading, row, count, c.data(), s.data(), slack.data());
      for (std::size_t i = 0; log_scale && i < c.size(); ++i) {
        const auto pairs = static_cast<std::size_t>(reading.pairs);
        const double own = std::exp(
            log_scale(static_cast<double>(has.at(row + static_cast<Index>(i / pairs))), i % pairs));
        c[i] /= own;
        s[i] /= own;
      }
      const std::size_t to = static_cast<std::size_t>(at * reading.pairs) * size_of(dtype);
      if (cosine) narrow(c, dtype, cosine + to);
      if (sine) narrow(s, dtype, sine + to);
    });
  };
}

double coordinate_of(const RotationTruth& truth, std::int64_t position, std::size_t pair) {
  const auto p = static_cast<double>(position + truth.shift);
  return truth.coordinate ? truth.coordinate(p, truth.axis.empty() ? 0 : truth.axis[pair]) : p;
}

// Sines and cosines of float32 libraries are off by one unit in the last place (2u), the
// magnitude's product by u, and what takes a scale away by as much as that is off.
Foreign foreign_of(const LikelyReading& likely, double amplitude, DType dtype,
                   const PositionRange& has) {
  RotationHypothesis scaled;
  scaled.log_scale = likely.truth.log_scale;
  double units = 3;
  for (const Index end : {Index{0}, has.count - 1})
    units = std::max(units, 3 + scale_at(scaled, static_cast<double>(has.at(end)), 0).units);
  Foreign foreign{
      .value = units * u * amplitude,
      .value_from = fmt::format("{:.3g}·2^-24·A of the cosine in float32 and {}", units,
                                scaled.log_scale ? "its scale" : "the attention factor"),
      .amplitude = amplitude};
  const double stored =
      likely.reading.form == RotationReading::Form::angles ? unit_roundoff(dtype) : 0;
  foreign.angle = [truth = likely.truth, stored](std::int64_t position, std::size_t j) {
    return std::fabs(coordinate_of(truth, position, j) * truth.frequencies[j]) *
           (truth.growth[j] * u + stored);
  };
  foreign.angle_from = fmt::format(
      "√2·e, e = {:.3g} one rounding to {} and 3·2^-24·A, and A·K·2^-24·angle of float32 angles, K "
      "at most {:.3g}",
      amplitude * (unit_roundoff(dtype) + 3 * u), name_of(dtype),
      *std::ranges::max_element(likely.truth.growth));
  return foreign;
}

// The same for frequencies that were read off the dump: their own error is the same at every
// position and no part of a law. There remain the product with the position and the argument of the
// cosine (2), and j products more where a power is taken by multiplication. A value that is off by
// e moves the phase by at most asin(√2·e/A) ≤ 1.05·√2·e/A below 1/2. A fit of a line by least
// squares moves any point by at most twice the largest error of all: at an end of n equal steps the
// weights 1/n + 3·x/n, x in −1 … 1, sum to at most 5/3 in magnitude; through the origin they are
// p·q/Σq², Σ|q|/Σq² at most 1 over the mean of |q|, so at most 2. The slope's own error is Σ|w| =
// 3/n times the largest.
void widen_by_fit(Foreign& foreign, const Fitted& fitted, const std::vector<double>& growth,
                  double value, const PositionRange& has) {
  std::vector<double> per_step(fitted.frequencies.size()), phase(per_step.size());
  const auto farthest =
      static_cast<double>(std::max(std::abs(has.at(0)), std::abs(has.at(has.count - 1))));
  for (std::size_t j = 0; j < per_step.size(); ++j) {
    per_step[j] = std::fabs(fitted.frequencies[j]) * growth[j];
    phase[j] = 1.05 * std::sqrt(2.0) * value / foreign.amplitude + farthest * per_step[j];
    foreign.frequency_error.push_back(3 * phase[j] / static_cast<double>(has.count));
  }
  foreign.phases = fitted.phases;
  foreign.still = fitted.still;
  foreign.angle = [per_step, phase](std::int64_t position, std::size_t j) {
    return std::fabs(static_cast<double>(position)) * per_step[j] + 2 * phase[j];
  };
  foreign.angle_from = fmt::format(
      "√2·e, e = {:.3g}, and A·(2 + j)·2^-24·angle of a product in float32; frequencies fitted by "
      "least squares, "
      "which moves a turn by at most twice the largest error",
      value);
}

// Pairs that turn by other frequencies than those that are meant have those that the dump shows;
// where it shows none their error is without end.
void take_seen_frequencies(const RotationObservation& observation, Rotation& rotation,
                           Foreign& foreign) {
  const RotationHypothesis meant = observation.start();
  if (!meant.axis.empty() || !rotation.waves) return;
  const std::vector<double> seen = observation.measured(meant),
                            errors = observation.measured_errors(meant),
                            shares = observation.shares_of_steps(meant);
  std::vector<Real> frequencies = rotation.waves->frequencies();
  if (seen.size() != frequencies.size()) return;
  std::vector<double> error(seen.size(), 0);
  bool is_other = false;
  for (std::size_t j = 0; j < seen.size(); ++j) {
    constexpr double most = 0.5;
    const bool is_seen = std::isfinite(seen[j]) && std::isfinite(errors[j]);
    if (is_seen ? !(std::fabs(seen[j] - to_double(frequencies[j])) > errors[j]) : shares[j] >= most)
      continue;
    if (is_seen) frequencies[j] = Real(seen[j]);
    error[j] = is_seen ? errors[j] : std::numeric_limits<double>::infinity();
    is_other = true;
  }
  if (!is_other) return;
  rotation.waves = Waves(std::move(frequencies), Real(rotation.magnitude));
  foreign.frequency_error = std::move(error);
}

}  // namespace

Observed observe_turns(const Expectation& expected, const Dump& dump) {
  const LikelyReading likely = likely_reading(expected, dump);
  const RotationReading& reading = likely.reading;
  const Stored& array = dump.arrays[reading.cosine.array];
  const RotationObservation observation(expected, dump, reading, likely.truth,
                                        probe_rows(reading, 0, {}));
  const bool agrees = likely.share >= 0.9;
  const double amplitude =
      agrees || !(observation.amplitude() > 0) || reading.form == RotationReading::Form::angles
          ? likely.truth.magnitude
          : observation.amplitude();
  Observed observed{.subject = {.effect = {},
                                .positions = {expected.first, 1, reading.rows, 0},
                                .offsets = {},
                                .dtype = array.dtype,
                                .remake = {},
                                .shifts = {}},
                    .what = describe(dump, reading),
                    .only = {},
                    .why = {}};
  Case& subject = observed.subject;
  if (is_integer(array.dtype)) subject.dtype = DType::f64;
  const PositionRange has = subject.positions;
  Foreign foreign = foreign_of(likely, amplitude, subject.dtype, has);

  if (const Table* meant = std::get_if<Table>(&expected.effect); meant && observation.has_rows()) {
    Table table = *meant;
    table.width = reading.width;
    table.rows = has.first + has.count;
    table.waves.reset();
    table.drift = {};
    table.beyond.clear();
    const Stored rows = array;
    table.fill = [rows, has, width = reading.width](const PositionRange& positions, DType dtype,
                                                    std::byte* out) {
      check_has(has, positions, rows);
      for_runs(has, positions, [&](Index row, Index count, Index at) {
        std::vector<double> values(static_cast<std::size_t>(count * width));
        rows.read(row * width, count * width, values.data());
        narrow(values, dtype, out + static_cast<std::size_t>(at * width) * size_of(dtype));
      });
    };
    // A table's law is the same for any frequencies, and no codebase makes one by repeated
    // multiplication.
    foreign.angle = [truth = likely.truth](std::int64_t position, std::size_t j) {
      return j < truth.frequencies.size()
                 ? std::fabs(coordinate_of(truth, position, j) * truth.frequencies[j]) * 2 * u
                 : 0;
    };
    foreign.angle_from = "2·2^-24·angle of a product and a cosine in float32";
    subject.effect = std::move(table);
    subject.foreign = std::move(foreign);
    return observed;
  }

  if (!std::holds_alternative<Rotation>(likely.effect))
    throw UsageError(fmt::format("{} holds frequencies and no table: no law of tables can be told",
                                 array.shown));
  Rotation rotation = std::get<Rotation>(likely.effect);
  rotation.scale = {};
  rotation.scale_rule.reset();
  rotation.pairs = reading.pairs;
  rotation.magnitude = likely.truth.magnitude;
  if (!observation.has_rows()) {
    rotation.waves = Waves(reals(read_frequencies(dump, reading, likely.truth.unscaled)),
                           Real(rotation.magnitude));
    rotation.parts.clear();
    rotation.coordinates.reset();
    subject.positions = first_positions(1);
    observed.only = "frequencies-decrease";
    observed.why = "the dump holds frequencies and no turns";
  } else {
    rotation.fill = reader(dump, likely, has);
    const std::vector<double>& measured = observation.measured();
    if (!agrees && likely.truth.axis.empty() &&
        std::ranges::all_of(measured, [](double f) { return std::isfinite(f); })) {
      const Fitted fitted = fit(observation, measured);
      std::vector<double> growth;
      for (std::size_t j = 0; j < fitted.frequencies.size(); ++j)
        growth.push_back(
            (2 + static_cast<double>(j)) * u +
            (reading.form == RotationReading::Form::angles ? unit_roundoff(array.dtype) : 0));
      widen_by_fit(foreign, fitted, growth, amplitude * (unit_roundoff(subject.dtype) + 3 * u),
                   has);
      rotation.waves = Waves(reals(fitted.frequencies), Real(amplitude));
    } else {
      take_seen_frequencies(observation, rotation, foreign);
    }
  }
  subject.effect = std::move(rotation);
  subject.foreign = std::move(foreign);
  return observed;
}

}  // namespace pe::observe_parts
