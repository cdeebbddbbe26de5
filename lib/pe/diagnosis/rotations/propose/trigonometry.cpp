// Causes of trigonometry: cosines and sines of the right angles by hardware's approximations, or of
// angles brought into one turn by a single float32 step.
#include <fmt/format.h>

#include <cmath>

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {
namespace {

// Phases of pairs whose angles are exact in every float32 arithmetic, less those angles: what is
// left is the trigonometry's own.
struct Errors {
  std::vector<double> angle, off, noise;
};

Errors errors_of(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  constexpr double far = 64;  // before it the errors are within those of a sound function
  Errors errors;
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    if (!is_certain(observation, hypothesis, j)) continue;
    for (const Phase& phase : phases_of(observation, hypothesis, j)) {
      if (!(std::fabs(phase.position * hypothesis.frequencies[j]) > far)) continue;
      errors.angle.push_back(phase.position * hypothesis.frequencies[j]);
      errors.off.push_back(phase.off);
      errors.noise.push_back(2 * phase.noise);
    }
  }
  return errors;
}

bool may_show(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  return observation.has_amplitude() && !hypothesis.split && !hypothesis.frequency_type &&
         !hypothesis.position_type && !hypothesis.angle_type && !hypothesis.tf32;
}

// Of the cells err more than a sound function, and nearly none more than an approximation: damage
// is rarer, and another table farther off.
bool are_approximate(const Errors& errors) {
  std::size_t beyond = 0, far = 0;
  for (std::size_t i = 0; i < errors.off.size(); ++i) {
    beyond += std::fabs(errors.off[i]) > errors.noise[i];
    far += std::fabs(errors.off[i]) >
           errors.noise[i] + 12 * 0x1p-24 * std::fabs(errors.angle[i]) + 0x1p-19;
  }
  return 10 * beyond >= 4 * errors.off.size() && 20 * far <= errors.off.size() &&
         !errors.off.empty();
}

RotationProposals single_step(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  if (!may_show(observation, hypothesis)) return {};
  const Errors errors = errors_of(observation, hypothesis);
  const auto none = [](double) { return 0.0; };
  const auto rms = [&](auto shift) {
    double sum = 0;
    for (std::size_t i = 0; i < errors.off.size(); ++i)
      sum += std::pow((errors.off[i] - shift(errors.angle[i])) / errors.angle[i], 2);
    return std::sqrt(sum);
  };
  if (!are_approximate(errors) ||
      rms([](double p) { return single_step_shift(p); }) > 0.7 * rms(none))
    return {};
  Proposal<RotationHypothesis> one{
      hypothesis,
      "angles were brought into one turn by a single float32 step: 2π in float32 is 1.7e-7 too "
      "long, once for each turn taken away"};
  one.hypothesis.trigonometry = Trigonometry::single_step;
  return {one};
}

RotationProposals fast(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  if (!may_show(observation, hypothesis)) return {};
  const Errors errors = errors_of(observation, hypothesis);
  if (!are_approximate(errors)) return {};
  Proposal<RotationHypothesis> one{
      hypothesis,
      "cosines and sines are a processor's fast approximations (__sinf, sin.approx): their error "
      "grows with the angle even where the angle is exact",
      1.05};
  one.hypothesis.trigonometry = Trigonometry::fast;
  return {one};
}

constexpr RotationProposer rows[] = {
    {Cause::single_step_reduction, "trigonometry", single_step},
    {Cause::fast_trigonometry, "trigonometry", fast},
};

}  // namespace

std::span<const RotationProposer> trigonometry_causes() { return rows; }

}  // namespace pe
