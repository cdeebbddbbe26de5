// Phases unwrapped along rulers of probes.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "pe/diagnosis/rotations/ruler.hpp"

namespace pe {
namespace {

constexpr double unit = 0x1p-24, turn = 2 * std::numbers::pi,
                 nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

// How far the phase of a turn may be off. Arithmetic moves both its sides by 3·2^-24 of the
// amplitude; rounding to the file's type moves each by a share of itself, and so the phase by
// r(|c·s| + |s·c|)/|z|²: next to nothing at small angles.
double phase_error(const RotationObservation& observation, std::complex<double> z) {
  const double size = std::abs(z), floor = std::max(observation.amplitude(), 1e-300) / size;
  return 3 * std::sqrt(2.0) * unit * floor +
         2 * observation.grain() * std::fabs(z.real() * z.imag()) / (size * size);
}

// From a base: base + 1, base + 2, base + 4, …; `noise`: what phases may be off by beside.
PairEstimate from_phases(const RotationObservation& observation, const Ruler& ruler, Index from,
                         std::size_t j, double noise) {
  const auto base = ruler.probes.find(from);
  if (base == ruler.probes.end()) return {};
  const auto turn_at = [&](std::size_t probe) {
    return std::complex<double>(observation.cosine(probe, j), observation.sine(probe, j));
  };
  const std::complex<double> z0 = turn_at(base->second);
  double frequency = nan, farthest = 0;
  const std::vector<double>& frequencies = observation.truth().frequencies;
  const double meant = j < frequencies.size() ? frequencies[j] : nan;
  const double from_base =
      std::sqrt(2.0) * observation.slack(base->second, j) + phase_error(observation, z0);
  double moved = from_base;
  if (std::isinf(from_base)) return {};
  // By now, of a radian each step.
  const auto error = [&](double known, double steps) {
    return (known +
            observation.truth().growth[j] * unit * std::fabs(frequency) *
                (2 * std::fabs(static_cast<double>(from) + std::fabs(ruler.origin) / ruler.step) +
                 steps)) /
           steps;
  };
  for (Index distance = 1;; distance *= 2) {
    const auto probe = ruler.probes.find(from + distance);
    if (probe == ruler.probes.end()) break;
    if (std::isinf(observation.slack(probe->second, j))) continue;  // a gap
    const bool is_first = std::isnan(frequency);
    // Beyond the next row pairs may have turned by more than half a circle.
    if (is_first && distance > 1 &&
        !(std::fabs(meant) * ruler.step * static_cast<double>(distance) < 0.4 * turn))
      break;
    const std::complex<double> z = turn_at(probe->second);
    const double turned = std::arg(z * std::conj(z0)), d = static_cast<double>(distance);
    const double step = is_first ? turned : std::remainder(turned - frequency * d, turn);
    const double here = from_base + std::sqrt(2.0) * observation.slack(probe->second, j) +
                        phase_error(observation, z);
    if (std::abs(z) == 0 || std::abs(z0) == 0) break;
    // Farther from where it should be than errors go, a row stands for another position.
    if (!is_first &&
        std::fabs(step) > std::min(0.5, here + d * error(moved + noise, farthest) + noise))
      break;
    frequency = is_first ? step / d : frequency + step / d;
    farthest = d;
    moved = here;
  }
  PairEstimate measured{frequency / ruler.step, infinity, farthest};
  if (farthest > 0) measured.error = error(moved, farthest) / ruler.step;
  return measured;
}

// Where gaps leave no such ladder: from the nearest two probes that are known, outwards.
PairEstimate from_neighbours(const RotationObservation& observation, const Ruler& ruler,
                             std::size_t j) {
  std::vector<std::pair<Index, std::size_t>> known;
  for (const auto& [place, probe] : ruler.probes)
    if (std::isfinite(observation.slack(probe, j)) &&
        std::hypot(observation.cosine(probe, j), observation.sine(probe, j)) > 0)
      known.emplace_back(place, probe);
  if (known.size() < 3 || known.size() == ruler.probes.size()) return {};
  std::size_t nearest = 1;
  for (std::size_t i = 1; i < known.size(); ++i)
    if (known[i].first - known[i - 1].first < known[nearest].first - known[nearest - 1].first)
      nearest = i;
  const auto [base, first_probe] = known[nearest - 1];
  const auto turn_at = [&](std::size_t probe) {
    return std::complex<double>(observation.cosine(probe, j), observation.sine(probe, j));
  };
  const auto error_at = [&](std::size_t probe) {
    return std::sqrt(2.0) * observation.slack(probe, j) + phase_error(observation, turn_at(probe));
  };
  std::ranges::sort(known, {},
                    [base = base](const auto& one) { return std::abs(one.first - base); });
  const std::vector<double>& frequencies = observation.truth().frequencies;
  PairEstimate estimate;
  for (const auto& [place, probe] : known) {
    const auto d = static_cast<double>(place - base);
    if (d == 0) continue;
    const double turned = std::arg(turn_at(probe) * std::conj(turn_at(first_probe))),
                 here = error_at(probe) + error_at(first_probe);
    if (estimate.farthest == 0) {
      // Beyond the next row pairs may have turned by more than half a circle.
      if (j >= frequencies.size() ||
          (std::fabs(d) > 1 &&
           !(std::fabs(frequencies[j]) * ruler.step * std::fabs(d) < 0.4 * turn)))
        return {};
      estimate = {turned / d, here / std::fabs(d), std::fabs(d)};
      continue;
    }
    const double step = std::remainder(turned - estimate.value * d, turn);
    if (!(std::fabs(step) <= std::min(0.5, here + std::fabs(d) * estimate.error))) return {};
    estimate.value += step / d;
    estimate.error = here / std::fabs(d) +
                     2 * observation.truth().growth[j] * unit * std::fabs(estimate.value) *
                         (1 + std::fabs(static_cast<double>(base) + ruler.origin) / std::fabs(d));
    estimate.farthest = std::fabs(d);
  }
  estimate.value /= ruler.step;
  estimate.error /= ruler.step;
  return estimate;
}

// Of positions that go by no step, or of one: pairs that turn by less than an eighth by the nearest
// of them, made sharper by the farther ones.
MeasuredFrequencies measured_of_listed(const RotationObservation& observation) {
  const RotationHypothesis meant = observation.start();
  std::vector<std::size_t> order(observation.rows().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) {
    return std::fabs(meant.position(observation.rows()[i], 0));
  };
  std::ranges::sort(order, {}, place);
  MeasuredFrequencies all{{}, {}, observation.amplitude()};
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    double frequency = nan, error = infinity;
    for (const std::size_t i : order) {
      const double p = meant.position(observation.rows()[i], 0);
      const std::complex<double> z(observation.cosine(i, j), observation.sine(i, j));
      if (p == 0 || std::abs(z) == 0) continue;
      const double here = phase_error(observation, z) + std::sqrt(2.0) * observation.slack(i, j);
      if (std::isnan(frequency)) {
        if (!(std::fabs(p) * std::fabs(meant.frequencies[j]) < turn / 8)) break;
        frequency = std::arg(z) / p;
        error = here / std::fabs(p);
        continue;
      }
      const double left = std::remainder(std::arg(z) - p * frequency, turn);
      if (!(std::fabs(left) <= std::min(0.5, here + std::fabs(p) * error))) continue;
      frequency += left / p;
      error = here / std::fabs(p) + observation.truth().growth[j] * unit * std::fabs(frequency);
    }
    // The first turns alike whatever the base is, and too fast to be seen.
    const bool is_taken = j == 0 && std::isnan(frequency) && observation.slots() > 1;
    all.values.push_back(is_taken ? meant.frequencies[0] : frequency);
    all.errors.push_back(is_taken ? unit : error);
  }
  return all;
}

// The probes that stand no farther out.
Ruler within(double farthest, Ruler ruler) {
  std::erase_if(ruler.probes, [&](const auto& probe) {
    return std::fabs(ruler.step * (ruler.origin + static_cast<double>(probe.first))) > farthest;
  });
  return ruler;
}

}  // namespace

MeasuredFrequencies measured_frequencies(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis, double farthest) {
  if (!observation.expected().listed.empty() || observation.slots() == 1)
    return measured_of_listed(observation);
  if (observation.reading().is_one_sided()) return measured_of_one_side(observation);
  const RotationHypothesis meant = hypothesis.axis.empty() ? observation.start() : hypothesis;
  std::vector<Ruler> rulers;
  for (std::size_t axis = 0; axis < meant.axes(); ++axis)
    rulers.push_back(within(farthest, ruler_of(observation, meant, axis)));
  // Numbers of a shorter type in a longer one's file.
  double noise = 0;
  for (const DType type : {DType::f16, DType::bf16})
    if (observation.on_grid(type)) noise = 2 * unit_roundoff(type);
  MeasuredFrequencies all{{}, {}, observation.amplitude()};
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    const Ruler& ruler = rulers[meant.axis_of(j)];
    PairEstimate one;
    if (!ruler.probes.empty()) {
      const Index last = ruler.probes.rbegin()->first;
      one = from_phases(observation, ruler, last > 1 ? 1 : 0, j, noise);  // 0 is often special
      // What stands elsewhere from some row on is told by the rows behind it.
      const PairEstimate other = from_phases(observation, ruler, observation.slots() / 2, j, noise);
      if (other.farthest > one.farthest) one = other;
      if (one.farthest == 0) one = from_neighbours(observation, ruler, j);
    }
    all.values.push_back(one.value);
    all.errors.push_back(one.error);
  }
  return all;
}

FrequencyFit sharpened(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                       std::size_t pair, double frequency) {
  const double sign = hypothesis.reversed ? -1 : 1;
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < observation.rows().size(); ++i) {
      const double p = hypothesis.position(observation.rows()[i], hypothesis.axis_of(pair));
      if (p == 0) continue;
      const std::complex<double> z(observation.cosine(i, pair), observation.sine(i, pair));
      const double left = std::remainder(sign * std::arg(z) - p * frequency, turn);
      if (std::fabs(left) < 0.3) use(p, left, z);
    }
  };
  each([&](double p, double left, std::complex<double>) { frequency += left / p; });
  // Least squares of all of them, in units of what rounding does to each phase: the last one alone
  // would put its own rounding into the frequency.
  double along = 0, squares = 0, off = 0;
  int count = 0;
  each([&](double p, double left, std::complex<double> z) {
    const double rounding = phase_error(observation, z);
    p /= rounding;
    left /= rounding;
    along += p * left;
    squares += p * p;
    off += left * left;
    ++count;
  });
  if (count == 0) return {frequency, infinity};
  return {frequency + along / squares, 10 * std::sqrt(off / count / squares)};
}

}  // namespace pe
