// Looking at turns: structure tells the reading, phases between rows the frequencies.
#include "pe/diagnosis/identify/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/rotations/likelihood.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

RotationTruth blank_truth(Index pairs) {
  RotationTruth truth;
  for (Index j = 0; j < pairs; ++j)
    truth.frequencies.push_back(
        std::pow(10000.0, -static_cast<double>(j) / static_cast<double>(pairs)));
  truth.unscaled = truth.frequencies;
  truth.growth = angle_ulps_of(truth.frequencies, truth.unscaled, false);
  return truth;
}

}  // namespace

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

}  // namespace

std::optional<FrequencyEstimate> look(const Dump& dump, const RotationReading& reading,
                                      const Expectation& blank) {
  FrequencyEstimate seen{.reading = reading, .rows = probe_rows(reading, 0, {}), .measured = {}};
  const RotationTruth truth = blank_truth(reading.pairs);
  const RotationObservation observation(blank, dump, seen.reading, truth, seen.rows);
  if (!observation.has_rows()) {
    seen.measured = {observation.measured(), 1, false, true, unit_roundoff(observation.dtype())};
    if (!std::ranges::all_of(seen.measured.frequencies, [](double f) { return f >= 0 && f < 1e9; }))
      return {};
    return seen;
  }
  seen.score = reading.form == Form::angles ? straightness(dump, reading)
               : reading.is_one_sided()     ? waviness(dump, reading, 1)
                                            : plausibility(observation);
  if (!passes_rest(dump, reading, seen.rows)) seen.score -= 0.5;
  if (reading.cosine_copy) {
    const RotationObservation copy(blank, dump, seen.reading, truth, seen.rows, true);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < seen.rows.size(); ++i)
      for (std::size_t j = 0; j < observation.pairs(); ++j)
        equal += observation.cosine(i, j) == copy.cosine(i, j) &&
                 observation.sine(i, j) == copy.sine(i, j);
    seen.score += static_cast<double>(equal) / static_cast<double>(std::max<std::size_t>(
                                                   1, seen.rows.size() * observation.pairs())) -
                  0.75;
  }
  const bool both = !reading.is_one_sided();
  seen.measured = {observation.measured(), both ? mean_amplitude(observation) : 1,
                   both && observation.has_amplitude(), false, 0};
  if (reading.form == Form::angles && reading.rows > 1)
    seen.measured.frequencies = angle_frequencies(dump, seen);
  else if (both)
    refine(observation, seen, seen.measured.frequencies);
  // Slow pairs stand at the amplitude itself, and all round alike.
  seen.measured.amplitude_error = 2 * std::max(unit_roundoff(observation.dtype()), 0x1p-24);
  // A line through N phases of error u over P positions has a slope of error u·√12/(P·√N); three of
  // them.
  seen.measured.error =
      3 * std::sqrt(12.0 / static_cast<double>(std::max<std::size_t>(1, seen.rows.size()))) *
      unit_roundoff(observation.dtype()) /
      static_cast<double>(std::max<Index>(1, observation.slots()));
  double forwards = 0;
  for (const double f : seen.measured.frequencies)
    if (std::isfinite(f)) forwards += f;
  seen.backwards = forwards < 0;
  if (seen.backwards)
    for (double& f : seen.measured.frequencies) f = -f;
  seen.at_origin = true;
  for (std::size_t j = 0; j < observation.pairs(); ++j)
    seen.at_origin = seen.at_origin && stands_at_origin(observation, j);
  if (!seen.rows.empty() && reading.form != Form::angles && both)
    seen.score += orientation(observation, seen);
  return seen;
}

namespace {

// The side that the name of the only array says, and no other.
std::optional<RotationReading::Side> only_side(const Dump& dump) {
  if (!dump.before.empty() || dump.arrays.size() != 1 || dump.arrays[0].is_complex) return {};
  return side_said_by(dump.arrays[0]);
}

// Channels of vectors from which on nothing turns, two for each pair; and the usual parts of a
// head.
std::vector<Index> pairs_of_vectors(const Dump& dump) {
  const Index width = dump.arrays[0].shape.back(),
              rows = dump.arrays[0].size() / std::max<Index>(1, width);
  std::vector<double> x(static_cast<std::size_t>(width)), y = x;
  Index turning = 0;
  for (Index i = 0; i < 64; ++i) {
    const Index row = i * (rows - 1) / 63;
    dump.before[0].read(row * width, width, x.data());
    dump.arrays[0].read(row * width, width, y.data());
    for (Index c = turning; c < width; ++c)
      if (x[static_cast<std::size_t>(c)] != y[static_cast<std::size_t>(c)]) turning = c + 1;
  }
  std::vector<Index> all;
  for (const Index n : {(turning + 1) / 2, width / 2, width / 4, width / 8, 3 * width / 16})
    if (n > 0 && 2 * n <= width && std::ranges::find(all, n) == all.end()) all.push_back(n);
  return all;
}

}  // namespace

std::vector<RotationReading> readings_of(const Dump& dump) {
  std::vector<RotationReading> all;
  if (const auto side = only_side(dump)) {
    const Index width = squeezed(dump.arrays[0].shape).back();
    for (const Index pairs : {width / 2, width})
      for (RotationReading& reading : turn_readings(dump, pairs))
        if (reading.side == *side) all.push_back(std::move(reading));
    return all;
  }
  if (dump.before.empty()) return turn_readings(dump, {});
  for (const Index pairs : pairs_of_vectors(dump))
    for (RotationReading& reading : turn_readings(dump, pairs)) all.push_back(std::move(reading));
  return all;
}

// The name of the same places in a sinusoidal table; "": it is none.
std::string sinusoidal_layout(const Dump& dump, const RotationReading& reading) {
  if (reading.form != Form::turns || dump.arrays.size() > 2 ||
      dump.arrays[reading.cosine.array].is_complex || reading.cosine.array != reading.sine.array)
    return "";
  for (const auto& [fused, table] : {std::pair{"turns-swapped", "interleaved"},
                                     {"sin-cos", "halves"},
                                     {"cos-sin", "halves-cos-first"},
                                     {"turns", "interleaved-cos-first"}})
    if (reading.layout == fused && dump.arrays[reading.cosine.array].shape.back() == reading.width)
      return table;
  return "";
}

namespace {

// Pairs of a table whose first row stands at position 0: as many ones before the first zero, or
// pairs of one and zero.
Index pairs_at_origin(const Stored& array) {
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 2 * most_pairs)));
  array.read(0, std::ssize(some), some.data());
  const double one = some[0] != 0 ? some[0] : some[1];
  std::size_t n = 0;
  while (n < some.size() && some[n] == some[0]) ++n;
  if (n > 1) return static_cast<Index>(n);
  while (n + 1 < some.size() && some[n - 1] + some[n] == one && (some[n - 1] == 0 || some[n] == 0))
    n += 2;
  return static_cast<Index>(n / 2);
}

}  // namespace

// One-dimensional arrays that hold rows one after the other.
std::vector<Dump> unrolled(const Dump& dump) {
  std::vector<Dump> all;
  if (!dump.before.empty() || dump.arrays.size() != 1) return all;
  const Stored& array = dump.arrays[0];
  if (std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) != 1 ||
      array.size() < 64)
    return all;
  for (const Index pairs :
       {pairs_at_origin(array), Index{64}, Index{32}, Index{16}, Index{40}, Index{48}, Index{24},
        Index{128}, Index{256}, Index{10}, Index{8}, Index{20}, Index{36}, Index{12}, Index{4}})
    if (pairs > 0 && array.size() % (2 * pairs) == 0 && array.size() / (2 * pairs) >= 3) {
      Dump one = dump;
      one.arrays[0].shape = {array.size() / (2 * pairs), 2 * pairs};
      all.push_back(std::move(one));
    }
  return all;
}

Origin origin_of(const Dump& dump, const FrequencyEstimate& seen, const Expectation& expected,
                 const RotationTruth& truth, const std::vector<double>& frequencies) {
  const RotationObservation observation(expected, dump, seen.reading, truth, seen.rows);
  const std::size_t count = std::min<std::size_t>(9, seen.rows.size());
  const std::vector<Index> rows(seen.rows.begin(),
                                seen.rows.begin() + static_cast<std::ptrdiff_t>(count));
  const double slowest = *std::ranges::min_element(frequencies),
               wave = slowest > 1e-7 ? 2 * std::numbers::pi / slowest : 0;
  std::set<std::int64_t> candidates;
  for (const double near : {0.0, 2e3, 4e3, 1e4, 1e5, 1e6}) {
    RotationHypothesis hypothesis = observation.start();
    hypothesis.frequencies = frequencies;
    hypothesis.reversed = seen.backwards;
    hypothesis.axis.clear();
    hypothesis.position = [&observation, near](Index row, std::size_t) {
      return static_cast<double>(observation.slot(row)) + near;
    };
    const std::vector<double> positions = observation.implied_positions(hypothesis, rows);
    // A ladder whose waves divide one another agrees a whole slowest wave further on, too.
    for (std::size_t i = 0; i < count; ++i)
      for (int k = wave > 0 ? -2 : 0; k <= (wave > 0 ? 2 : 0); ++k)
        if (const double off =
                positions[i] + k * wave - static_cast<double>(observation.slot(rows[i]));
            std::fabs(off) < 1e7 && std::fabs(off - std::round(off)) < 0.1)
          candidates.insert(saturated<std::int64_t>(std::round(off)));
  }
  Origin best;
  for (const std::int64_t offset : candidates) {
    double sum = 0, cells = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < frequencies.size(); ++j) {
        const double sign = seen.backwards ? -1 : 1, c = observation.cosine(i, j),
                     s = sign * observation.sine(i, j),
                     angle =
                         static_cast<double>(offset + observation.slot(rows[i])) * frequencies[j];
        sum += !observation.has_sine() ? std::fabs(c - std::cos(angle))
               : !observation.has_cosine()
                   ? std::fabs(s - std::sin(angle))
                   : std::fabs(std::remainder(std::atan2(s, c) - angle, 2 * std::numbers::pi));
        ++cells;
      }
    if (sum / cells < best.off) best = {offset, sum / cells};
  }
  return best;
}

}  // namespace pe
