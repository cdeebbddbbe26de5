// Causes of scales: whether, how often and about which position pairs grow.
#include "pe/diagnosis/rotations/propose/scales.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pe/base/median.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

// Logarithms of scales that were seen, beside `meant(position, pair)`: the slope of one over the
// other by least squares, each probe weighed by its noise, and its weight. `seen(logarithm of the
// growth, position, pair)`: what of it is to be explained.
struct Slope {
  double value = 0, weight = 0;
};

template <typename Meant, typename Seen>
Slope slope_of(const RotationObservation& observation, const RotationHypothesis& hypothesis,
               Meant meant, Seen seen) {
  Slope slope;
  double sum = 0;
  // Of cosines and sines: one rounding to the file's type, and four of float32 arithmetic.
  const double rounding = observation.has_values() ? observation.grain() + 4 * 0x1p-24 : 0;
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    const double p = hypothesis.position(observation.rows()[i], 0);
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double norm = std::hypot(observation.cosine(i, j), observation.sine(i, j)),
                   noise = observation.slack(i, j) / norm + rounding, x = meant(p, j);
      if (!(norm > 0) || !std::isfinite(noise) || !(noise > 0)) continue;
      sum += x * seen(std::log(norm), p, j) / (noise * noise);
      slope.weight += x * x / (noise * noise);
    }
  }
  if (slope.weight > 0) slope.value = sum / slope.weight;
  return slope;
}

}  // namespace

// The turns are those of other positions and the scales are not.
RotationProposals turned_elsewhere(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  if (!hypothesis.log_scale) return {};
  std::vector<double> off = observation.implied_positions(hypothesis);
  for (std::size_t i = 0; i < off.size(); ++i)
    off[i] -= hypothesis.position(observation.rows()[i], 0);
  std::erase_if(off, [](double x) { return !std::isfinite(x); });
  const double k = std::round(median_of(std::move(off)));
  if (k == 0) return {};
  RotationProposals all{
      {hypothesis, fmt::format("pairs turn by position {:+g}, and their scales do not", k)}};
  all[0].hypothesis.position = [before = hypothesis.position, k](Index row, std::size_t axis) {
    return before(row, axis) + k;
  };
  all[0].hypothesis.log_scale = [before = hypothesis.log_scale, k](double position,
                                                                   std::size_t pair) {
    return before(position - k, pair);
  };
  return all;
}

RotationProposals scale_taken_otherwise(const RotationObservation& observation,
                                        const RotationHypothesis& hypothesis) {
  if (!hypothesis.log_scale) return {};
  const bool key = observation.reading().scales == Side::key;
  RotationProposals all{
      {hypothesis, key ? "keys turn and are not scaled" : "queries turn and are not scaled", 1,
       Cause::scale_missing},
      {hypothesis,
       key ? "keys are scaled as queries are meant to be"
           : "queries are scaled as keys are meant to be",
       1, Cause::scale_inverted},
      {hypothesis, "the scale was applied twice", 1, Cause::scale_squared}};
  all[0].hypothesis.scale_power = 0;
  all[1].hypothesis.scale_power = -1;
  all[2].hypothesis.scale_power = 2;
  return all;
}

// Scales of s(p + k): k from the logarithms of all probes, each weighed by its slope over its
// noise.
RotationProposals scale_elsewhere(const RotationObservation& observation,
                                  const RotationHypothesis& hypothesis) {
  if (!hypothesis.log_scale || hypothesis.scale_power == 0 || observation.truth().coordinate)
    return {};
  const auto slope = [&](double p, std::size_t j) {
    return hypothesis.log_scale(p + 1, j) - hypothesis.log_scale(p, j);
  };
  const double k = std::round(
      slope_of(observation, hypothesis, slope, [&](double growth, double p, std::size_t j) {
        return growth / hypothesis.scale_power - hypothesis.log_scale(p, j);
      }).value);
  if (k == 0) return {};
  const double meant = std::round(-hypothesis.log_scale(0, 0) / slope(0, 0)) + 0.0;  // no −0
  const auto length = static_cast<double>(observation.slots());
  const double at = meant - k;
  const char* const word = at == 0                        ? "zero"
                           : at == std::floor(length / 2) ? "middle-floor"
                           : at == std::ceil(length / 2)  ? "middle"
                                                          : nullptr;
  RotationProposals all{
      {hypothesis, fmt::format("scales are 1 at position {:g}{}, where position {:g} is meant", at,
                               word ? fmt::format(" (--center {})", word) : "", meant)}};
  all[0].hypothesis.log_scale = [before = hypothesis.log_scale, k](double position,
                                                                   std::size_t pair) {
    return before(position + k, pair);
  };
  return all;
}

// Scales s^(B/B'): their logarithms are in proportion to those that are meant, B' over B.
RotationProposals other_scale_base(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  const double meant_base = number_of(observation, hypothesis, "scale-base");
  if (!hypothesis.log_scale || !(meant_base > 0)) return {};
  const auto [power, weight] = slope_of(
      observation, hypothesis, [&](double p, std::size_t j) { return hypothesis.log_scale(p, j); },
      [](double growth, double, std::size_t) { return growth; });
  if (!(power > 0.01) || !(std::fabs(power - 1) > 0.01)) return {};
  const TidyNumber base = tidiest(meant_base / power, 1 / std::sqrt(weight) / power);
  RotationProposals all{{hypothesis,
                         fmt::format("scale-base {:g}, where {} is meant", base.value,
                                     meant(observation, "scale-base")),
                         1 + base.cost}};
  all[0].hypothesis.scale_power = meant_base / base.value;
  return all;
}

}  // namespace pe
