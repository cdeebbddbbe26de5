// Positions that are multiplied, or divided.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/positions.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

// All frequencies over those of the hypothesis, by the pair that tells it most sharply, and its
// relative error; 1 where none does.
std::pair<double, double> measured_ratio(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis) {
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.measured_errors(hypothesis);
  double ratio = 1, sharpest = 0.1;
  for (std::size_t j = 0; j < measured.size(); ++j)
    if (const double f = hypothesis.frequencies[j], error = errors[j] / measured[j];
        measured[j] > 0 && f > 0 && error < sharpest) {
      ratio = measured[j] / f;
      sharpest = error;
    }
  return {ratio, sharpest};
}

// All frequencies over those of the hypothesis where this is no whole number and fast pairs turn
// farther than half a circle from row to row, so that slow ones alone tell it; 0 where they do not.
double ratio_of_slow_pairs(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (!observation.has_rows() || !hypothesis.axis.empty()) return 0;
  const auto [ratio, error] = measured_ratio(observation, hypothesis);
  const double fastest = std::ranges::max(hypothesis.frequencies);
  if (!(ratio > 1) || std::fabs(ratio - std::round(ratio)) <= 2 * error * ratio ||
      ratio * fastest < std::numbers::pi)
    return 0;
  if (std::fabs(ratio - 2 * std::numbers::pi) <= 2 * error * ratio) return 2 * std::numbers::pi;
  const TidyNumber tidy = tidiest(ratio, error);
  return tidy.cost < 0.1 ? tidy.value : 0;
}

// A list of frequencies, all of them the same number of times as large.
RotationProposals multiplied_numbers(const RotationObservation& observation,
                                     const RotationHypothesis& hypothesis) {
  const std::vector<double>&seen = observation.measured(), &f = hypothesis.frequencies;
  if (f.size() != seen.size() || f.size() < 2 || !(f[0] > 0)) return {};
  const double ratio = seen[0] / f[0], near = 1e-5 + 2 * observation.grain();
  for (std::size_t j = 0; j < f.size(); ++j)
    if (!(std::fabs(seen[j] / f[j] / ratio - 1) <= near)) return {};
  if (!(ratio > 0) || !std::isfinite(ratio) || std::fabs(ratio - 1) <= near) return {};
  constexpr double turn = 2 * std::numbers::pi, degree = std::numbers::pi / 180;
  struct Known {
    double value;
    const char* words;
  };
  double times = tidiest(ratio, near).value;
  std::string words = fmt::format("{:.7g}", times);
  for (const Known& one : {Known{turn, "2π"}, Known{1 / turn, "1/2π, turns and not radians,"},
                           Known{degree, "π/180"}, Known{1 / degree, "180/π"}})
    if (std::fabs(ratio / one.value - 1) <= near) {
      times = one.value;
      words = one.words;
    }
  RotationHypothesis other = hypothesis;
  for (double& frequency : other.frequencies) frequency *= times;
  // Smaller ones are rather divided, as linear scaling has it.
  return {{std::move(other), fmt::format("every frequency is {} times what is meant", words),
           ratio < 1 ? 1.3 : 1, times == 2 ? Cause::position_doubled : Cause::wrong_parameter}};
}

}  // namespace

RotationProposals doubled(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  if (!observation.has_rows()) return multiplied_numbers(observation, hypothesis);
  double share;
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  const double m = most_frequent(
      all,
      [](const ProbeSpot& one) {
        return one.meant > 0 ? std::round(one.implied / one.meant) : NAN;
      },
      &share);
  RotationProposals some;
  const auto multiplied = [&](double times, std::string sentence, double cost) {
    some.push_back(mapped(
        hypothesis, [times](double p) { return p * times; }, std::move(sentence), cost));
  };
  const std::string scaling = word_of(observation, hypothesis, "scaling");
  for (const double times : {2.0, m}) {
    if (!(times > 1) || (times == 2 && !some.empty()) || !(times < 1e6)) continue;
    // With linear scaling that is rather another factor, unless vectors may have been turned twice.
    const bool rather = scaling == "linear" && (times != 2 || !observation.reading().is_vectors());
    multiplied(times,
               times == 2 ? "positions are doubled: the turn was applied twice"
                          : fmt::format("positions are multiplied by {:.15g}", times),
               rather ? 1.5 : 1);
  }
  if (const double times = ratio_of_slow_pairs(observation, hypothesis); times > 0)
    multiplied(times,
               fmt::format("positions are multiplied by {:.7g}{}", times,
                           std::fabs(times - 2 * std::numbers::pi) < 1e-6 ? " = 2π" : ""),
               1.2);
  // Degrees in the place of radians, or the reverse.
  constexpr double degrees = 180 * std::numbers::inv_pi;
  if (observation.has_rows()) {
    multiplied(degrees, "angles are in degrees where radians are meant: 180/π times as far", 1);
    multiplied(1 / degrees, "angles are taken for degrees, π/180 of what is meant", 1);
  }
  // Stretched or squeezed as linear scaling does, beside a scaling that says so by itself.
  if (!observation.has_rows() || scaling == "none" || scaling == "linear") return some;
  const auto [ratio, error] = measured_ratio(observation, hypothesis);
  if (std::fabs(ratio - 1) <= 2 * error) return some;
  const TidyNumber by = tidiest(ratio < 1 ? 1 / ratio : ratio, error);
  if (ratio > 1 && by.value == std::round(by.value)) return some;
  const double times = ratio < 1 ? 1 / by.value : by.value;
  multiplied(times,
             fmt::format("positions are {} by {:.7g}{}", ratio < 1 ? "divided" : "multiplied",
                         by.value, scaling.empty() ? "" : ", beside " + scaling + " scaling"),
             1.1 + by.cost);
  if (ratio < 1 && !scaling.empty()) some.back().cause = Cause::wrong_scaling;
  return some;
}

RotationProposals floored(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  RotationProposals some;
  if (!observation.has_rows() || !hypothesis.axis.empty()) return some;
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  double share;
  std::vector<double> divisors{2, 4, 8, 16, 32};
  const double m = most_frequent(
      all,
      [](const ProbeSpot& one) {
        return one.implied > 4 ? std::round(one.meant / one.implied) : NAN;
      },
      &share);
  if (m > 1 && m < 4096 && std::ranges::find(divisors, m) == divisors.end()) divisors.push_back(m);
  // Groups of rows that all hold the position of the first, or of the last, of them.
  for (const bool last : {false, true})
    for (const double size : {2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
      const auto of_group = [=](double p) {
        return last ? size * std::ceil(p / size) : size * std::floor(p / size);
      };
      if (all.empty() || !std::ranges::all_of(all, [&](const ProbeSpot& one) {
            return std::fabs(one.implied - of_group(one.meant)) < 0.25;
          }))
        continue;
      some.push_back(mapped(hypothesis, of_group,
                            fmt::format("{:.15g} neighbours at a time hold the position of the {} "
                                        "of them",
                                        size, last ? "last" : "first")));
      return some;
    }
  for (const double s : divisors)
    some.push_back(mapped(
        hypothesis, [s](double p) { return std::floor(p / s); },
        fmt::format(
            "positions are divided by {:.15g} and rounded down: {:.15g} neighbours share a row", s,
            s)));
  return some;
}

}  // namespace pe
