// Looking at turns: structure tells the reading, phases between rows the frequencies.
#include "pe/diagnosis/identify/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/diagnosis/identify/decode.hpp"
#include "pe/diagnosis/rotations/likelihood.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

}  // namespace

RotationTruth blank_truth(Index pairs) {
  RotationTruth truth;
  for (Index j = 0; j < pairs; ++j)
    truth.frequencies.push_back(
        std::pow(10000.0, -static_cast<double>(j) / static_cast<double>(pairs)));
  truth.unscaled = truth.frequencies;
  truth.growth = angle_ulps_of(truth.frequencies, truth.unscaled, {});
  return truth;
}

bool has_rows(const RotationReading& reading) {
  return reading.form == Form::turns || reading.form == Form::angles ||
         reading.form == Form::vectors;
}

namespace {

// Slow pairs stand near phase 0 in row 0, unless it is far from the origin; fast ones go forwards.
// Swapped sides show in both.
double orientation(const RotationObservation& observation, const FrequencyEstimate& seen) {
  const std::size_t n = observation.pairs();
  double off = 0;
  for (std::size_t j = n - std::max<std::size_t>(1, n / 4); j < n; ++j)
    off += std::fabs(std::atan2(observation.sine(0, j), observation.cosine(0, j)));
  off /= static_cast<double>(std::max<std::size_t>(1, n / 4));
  return 0.3 * std::max(0.0, 1 - 2 * off / std::numbers::pi) + (seen.backwards ? 0 : 0.1);
}

// Each pair's frequency again, by least squares over all rows probed: the phases left beside the
// estimate are a line in the position, of which the intercept stays free (nobody knows yet where
// row 0 stands). Left as it is where they are no line.
void refine(const RotationObservation& observation, const FrequencyEstimate& seen,
            std::vector<double>& frequencies) {
  const std::size_t count = seen.rows.size();
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    for (int pass = 0; pass < 2 && std::isfinite(frequencies[j]) && count > 4; ++pass) {
      double sum = 0, sum_p = 0, sum_pp = 0, sum_y = 0, sum_py = 0, last = 0, worst = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (seen.reading.run > 0 && seen.rows[i] / seen.reading.stride >= seen.reading.run)
          continue;  // one sequence is enough
        const auto p = static_cast<double>(observation.slot(seen.rows[i]));
        const double phase = std::atan2(observation.sine(i, j), observation.cosine(i, j));
        // Beside the row before, so that a slow drift is followed.
        const double left =
            std::remainder(phase - p * frequencies[j] - last, 2 * std::numbers::pi) + last;
        worst = std::max(worst, i == 0 ? 0 : std::fabs(left - last));
        last = left;
        sum += 1;
        sum_p += p;
        sum_pp += p * p;
        sum_y += left;
        sum_py += p * left;
      }
      const double spread = sum * sum_pp - sum_p * sum_p;
      if (worst > 0.5 || !(spread > 0)) break;
      frequencies[j] += (sum * sum_py - sum_p * sum_y) / spread;
    }
  }
}

// Frequencies of angles as they stand: the mean of (angle − angle of row 0) / row over the rows
// probed.
std::vector<double> angle_frequencies(const Dump& dump, const FrequencyEstimate& seen) {
  const RotationReading& reading = seen.reading;
  const auto width = static_cast<std::size_t>(reading.width);
  std::vector<double> origin(width), row(width), sum(static_cast<std::size_t>(reading.pairs));
  dump.arrays[reading.cosine.array].read(0, reading.width, origin.data());
  double count = 0;
  for (const Index r : seen.rows) {
    if (2 * r < reading.rows) continue;
    dump.arrays[reading.cosine.array].read(r * reading.width, reading.width, row.data());
    for (std::size_t j = 0; j < sum.size(); ++j) {
      const auto at = static_cast<std::size_t>(reading.cosine.at(static_cast<Index>(j)));
      sum[j] += (row[at] - origin[at]) / static_cast<double>(r);
    }
    ++count;
  }
  for (double& f : sum) f /= count;
  return sum;
}

// Whether a pair of row 0 stands at phase 0; of one side, whether it may.
bool stands_at_origin(const RotationObservation& observation, std::size_t pair) {
  const double c = observation.cosine(0, pair), s = observation.sine(0, pair);
  if (!observation.has_sine()) return std::fabs(c / observation.amplitude() - 1) < 0.01;
  if (!observation.has_cosine()) return std::fabs(s) < 0.05;
  return std::fabs(std::atan2(s, c)) < 0.05;
}

// The mean of √(cos² + sin²), near the median: finer than the values' own type.
double mean_amplitude(const RotationObservation& observation) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (const double norm = std::hypot(observation.cosine(i, j), observation.sine(i, j));
          std::fabs(norm - observation.amplitude()) < 0.01 * observation.amplitude()) {
        sum += norm;
        ++count;
      }
  return count > 0 ? sum / count : observation.amplitude();
}

// Slow pairs tell: fast ones may turn by more than half a wave from row to row.
bool runs_backwards(const std::vector<double>& frequencies) {
  double slow = 0, all = 0;
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    if (!std::isfinite(frequencies[j])) continue;
    all += frequencies[j];
    if (2 * j >= frequencies.size()) slow += frequencies[j];
  }
  return (slow != 0 ? slow : all) < 0;
}

}  // namespace

std::optional<FrequencyEstimate> look(const Dump& dump, const RotationReading& reading,
                                      const Expectation& blank) {
  FrequencyEstimate seen{.reading = reading, .rows = probe_rows(reading, 0, {}), .measured = {}};
  const RotationTruth truth = blank_truth(reading.pairs);
  const RotationObservation observation(blank, dump, seen.reading, truth, seen.rows);
  if (!observation.has_rows()) {
    seen.measured = {observation.measured(), 1, false, true, {}};
    for (const double f : seen.measured.frequencies)
      seen.measured.errors.push_back(3 * f * unit_roundoff(observation.dtype()));
    if (!std::ranges::all_of(seen.measured.frequencies, [](double f) { return f >= 0 && f < 1e9; }))
      return {};
    return seen;
  }
  seen.score = reading.form == Form::angles ? std::max(straightness(dump, reading),
                                                       proportionality(dump, reading, seen.rows))
               : reading.is_one_sided()     ? waviness(dump, reading, 1, observation.amplitude())
                                            : plausibility(observation);
  if (share_of_changed_rest(dump, reading, seen.rows) > 0) seen.score -= 0.5;
  if (reading.cosine_copy) {
    const RotationObservation copy(blank, dump, seen.reading, truth, seen.rows, true);
    std::size_t equal = 0, telling = 0;  // a pair that stands still is equal to every other one
    for (std::size_t i = 0; i < seen.rows.size(); ++i)
      for (std::size_t j = 0; j < observation.pairs(); ++j) {
        const double c = observation.cosine(i, j), s = observation.sine(i, j);
        const bool is_copy = c == copy.cosine(i, j) && s == copy.sine(i, j);
        equal += is_copy;
        telling += !is_copy || c != observation.cosine(0, j) || s != observation.sine(0, j);
      }
    equal -= seen.rows.size() * observation.pairs() - telling;
    seen.score +=
        telling > 0 ? static_cast<double>(equal) / static_cast<double>(telling) - 0.75 : 0.25;
  }
  const bool both = !reading.is_one_sided();
  seen.measured = {observation.measured(),
                   both ? mean_amplitude(observation) : 1,
                   both && observation.has_amplitude(),
                   false,
                   {}};
  if (reading.form == Form::angles && reading.rows > 1)
    seen.measured.frequencies = angle_frequencies(dump, seen);
  else if (both)
    refine(observation, seen, seen.measured.frequencies);
  // Slow pairs stand at the amplitude itself, and all round alike.
  seen.measured.amplitude_error = 2 * std::max(unit_roundoff(observation.dtype()), 0x1p-24);
  // A line through N phases of error u over P positions has a slope of error u·√12/(P·√N); nine of
  // them: three of three standard deviations.
  const double error =
      9 * std::sqrt(12.0 / static_cast<double>(std::max<std::size_t>(1, seen.rows.size()))) *
      unit_roundoff(observation.dtype()) /
      static_cast<double>(std::max<Index>(1, observation.slots()));
  seen.measured.errors = both ? std::vector(seen.measured.frequencies.size(), error)
                              : observation.measured_errors(observation.start());
  // Angles as they stand were rounded each in its own last place, and so was that of row 0.
  if (reading.form == Form::angles)
    for (std::size_t j = 0; j < seen.measured.errors.size(); ++j)
      seen.measured.errors[j] =
          2 * unit_roundoff(observation.dtype()) * std::fabs(seen.measured.frequencies[j]);
  seen.backwards = runs_backwards(seen.measured.frequencies);
  if (seen.backwards)
    for (double& f : seen.measured.frequencies) f = -f;
  seen.at_origin = true;
  for (std::size_t j = 0; j < observation.pairs(); ++j)
    seen.at_origin = seen.at_origin && stands_at_origin(observation, j);
  if (!seen.rows.empty() && reading.form != Form::angles && both)
    seen.score += orientation(observation, seen);
  if (seen.at_origin && !seen.backwards) narrow(dump, observation, seen);
  return seen;
}

}  // namespace pe
