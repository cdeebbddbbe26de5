// Causes of scales: whether, how often and about which position pairs grow.
#include "pe/diagnosis/rotations/propose/scales.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

bool is_vectors(const RotationObservation& observation) {
  return observation.reading().form == RotationReading::Form::vectors;
}

RotationProposals scaled(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis, double power, const char* sentence) {
  if (!is_vectors(observation) || !hypothesis.scale) return {};
  RotationProposals all{{hypothesis, sentence}};
  all[0].hypothesis.scale_power = power;
  return all;
}

}  // namespace

// The turns are those of other positions and the scales are not.
RotationProposals turned_elsewhere(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  if (!is_vectors(observation) || !hypothesis.scale) return {};
  std::vector<double> off = observation.implied_positions(hypothesis);
  for (std::size_t i = 0; i < off.size(); ++i)
    off[i] -= hypothesis.position(observation.rows()[i], 0);
  std::erase_if(off, [](double x) { return !std::isfinite(x); });
  if (off.empty()) return {};
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::ranges::nth_element(off, middle);
  const double k = std::round(*middle);
  if (k == 0) return {};
  RotationProposals all{
      {hypothesis, fmt::format("vectors turn by position {:+g}, and their scales do not", k)}};
  all[0].hypothesis.position = [before = hypothesis.position, k](Index row, std::size_t axis) {
    return before(row, axis) + k;
  };
  all[0].hypothesis.scale = [before = hypothesis.scale, k](double position, std::size_t pair) {
    return before(position - k, pair);
  };
  return all;
}

RotationProposals scale_missing(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  return scaled(observation, hypothesis, 0,
                observation.reading().key ? "keys turn and are not scaled"
                                          : "queries turn and are not scaled");
}

RotationProposals scale_inverted(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  return scaled(observation, hypothesis, -1,
                observation.reading().key ? "keys are scaled as queries are meant to be"
                                          : "queries are scaled as keys are meant to be");
}

RotationProposals scale_squared(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  return scaled(observation, hypothesis, 2, "the scale was applied twice");
}

// Scales of s(p + k): k from the logarithms of all probes, each weighed by its slope over its
// noise.
RotationProposals scale_elsewhere(const RotationObservation& observation,
                                  const RotationHypothesis& hypothesis) {
  if (!is_vectors(observation) || !hypothesis.scale || observation.truth().coordinate) return {};
  double sum = 0, weight = 0;
  const auto slope = [&](double p, std::size_t j) {
    return std::log(hypothesis.scale(p + 1, j) / hypothesis.scale(p, j));
  };
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    const double p = hypothesis.position(observation.rows()[i], 0);
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double norm = std::hypot(observation.cosine(i, j), observation.sine(i, j)),
                   noise = observation.slack(i, j) / norm, rise = slope(p, j);
      if (!(norm > 0) || !std::isfinite(noise)) continue;
      sum += rise * std::log(norm / hypothesis.scale(p, j)) / (noise * noise);
      weight += rise * rise / (noise * noise);
    }
  }
  const double k = weight > 0 ? std::round(sum / weight) : 0;
  if (k == 0) return {};
  const double meant = std::round(-std::log(hypothesis.scale(0, 0)) / slope(0, 0));
  RotationProposals all{
      {hypothesis, fmt::format("scales are 1 at position {:g}, where position {:g} is meant",
                               meant - k, meant)}};
  all[0].hypothesis.scale = [before = hypothesis.scale, k](double position, std::size_t pair) {
    return before(position + k, pair);
  };
  return all;
}

// Scales s^(B/B'): their logarithms are in proportion to those that are meant, B' over B.
RotationProposals other_scale_base(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  const double meant_base = number_of(observation, hypothesis, "scale-base");
  if (!is_vectors(observation) || !hypothesis.scale || !(meant_base > 0)) return {};
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    const double p = hypothesis.position(observation.rows()[i], 0);
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double norm = std::hypot(observation.cosine(i, j), observation.sine(i, j)),
                   noise = observation.slack(i, j) / norm, meant = std::log(hypothesis.scale(p, j));
      if (!(norm > 0) || !std::isfinite(noise) || !(noise > 0)) continue;
      sum += meant * std::log(norm) / (noise * noise);
      weight += meant * meant / (noise * noise);
    }
  }
  const double power = weight > 0 ? sum / weight : 0;
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
