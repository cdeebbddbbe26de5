// Where rows stand: the position of row 0 out of phases, and steps of more than one from row to row
// out of turns that are longer than half a wave.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/identify/bases.hpp"
#include "pe/diagnosis/identify/estimate.hpp"

namespace pe {

Origin origin_of(const Dump& dump, const FrequencyEstimate& seen, const Expectation& expected,
                 const RotationTruth& truth, const std::vector<double>& frequencies) {
  const RotationObservation observation(expected, dump, seen.reading, truth, seen.rows);
  const std::size_t count = std::min<std::size_t>(9, seen.rows.size());
  const std::vector<Index> rows(seen.rows.begin(),
                                seen.rows.begin() + static_cast<std::ptrdiff_t>(count));
  const double slowest = *std::ranges::min_element(frequencies),
               wave = slowest > 1e-7 ? 2 * std::numbers::pi / slowest : 0;
  const auto place = [&](Index row) {
    return static_cast<double>(seen.step * observation.slot(row));
  };
  std::set<std::int64_t> candidates;
  for (const double near : {0.0, 2e3, 4e3, 1e4, 1e5, 1e6}) {
    RotationHypothesis hypothesis = observation.start();
    hypothesis.frequencies = frequencies;
    hypothesis.reversed = seen.backwards;
    hypothesis.axis.clear();
    hypothesis.position = [&, near](Index row, std::size_t) { return place(row) + near; };
    const std::vector<double> positions = observation.implied_positions(hypothesis, rows);
    // A ladder whose waves divide one another agrees a whole slowest wave further on, too.
    for (std::size_t i = 0; i < count; ++i)
      for (int k = wave > 0 ? -2 : 0; k <= (wave > 0 ? 2 : 0); ++k)
        if (const double off = positions[i] + k * wave - place(rows[i]);
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
                     angle = (static_cast<double>(offset) + place(rows[i])) * frequencies[j];
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

namespace {

constexpr double turn = 2 * std::numbers::pi;

// What a turn from row to row may have been before whole turns went out of sight, and, of one side,
// its sign: the nearest to `wanted`.
double nearest_turn(const FrequencyEstimate& seen, double turned, double wanted) {
  if (seen.reading.form == RotationReading::Form::angles) return turned;
  const double same = wanted + std::remainder(turned - wanted, turn);
  if (!seen.reading.is_one_sided()) return same;
  const double other = wanted + std::remainder(-turned - wanted, turn);
  return std::fabs(same - wanted) <= std::fabs(other - wanted) ? same : other;
}

// The estimate of one position, where the fast pairs turn by step·base^(−j/n); nothing where they
// do not. Pairs that turn by less than a quarter of a wave are what they are: a scaling slows
// those.
std::optional<FrequencyEstimate> stepped(const FrequencyEstimate& seen, double step, double base) {
  FrequencyEstimate other = seen;
  const std::size_t pairs = seen.measured.frequencies.size();
  const std::vector<double> plain = plain_of(base, pairs);
  for (std::size_t j = 0; j < pairs; ++j) {
    double& f = other.measured.frequencies[j];
    const double wanted = step * plain[j], known = seen.measured.errors[j] + 1e-5 * (1 + wanted);
    if (std::isnan(f)) continue;
    const double whole = nearest_turn(seen, f, wanted);
    if (j < 4 && std::fabs(whole - wanted) > 3 * known) return {};
    f = (wanted > turn / 4 ? whole : f) / step;
    other.measured.errors[j] /= step;
  }
  other.step = static_cast<std::int64_t>(step);
  return other;
}

}  // namespace

std::vector<FrequencyEstimate> stepped(const FrequencyEstimate& seen) {
  constexpr int most_step = 1024;
  std::vector<FrequencyEstimate> all;
  const std::size_t pairs = seen.measured.frequencies.size();
  if (!has_rows(seen.reading) || pairs < 6) return all;
  for (int step = 2; step <= most_step; ++step) {
    // The first pair of every ladder turns by one radian a position.
    const double first = nearest_turn(seen, seen.measured.frequencies[0], step);
    if (!(std::fabs(first - step) < 3 * seen.measured.errors[0] + 1e-5 * step)) continue;
    Measured slow = seen.measured;
    slow.frequencies[0] = 1;
    for (std::size_t j = 1; j < pairs; ++j) slow.frequencies[j] /= step;
    for (const Base& base : bases_in_use())
      if (auto one = stepped(seen, step, base.value)) all.push_back(std::move(*one));
    if (!all.empty()) return all;
    for (const Base& base : bases_of(slow, static_cast<double>(pairs),
                                     {pairs / 3, pairs / 2, 2 * pairs / 3, 3 * pairs / 4}))
      if (auto one = stepped(seen, step, base.value)) all.push_back(std::move(*one));
    if (!all.empty()) return all;
  }
  return all;
}

}  // namespace pe
