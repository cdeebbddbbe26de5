// Causes of trigonometry: cosines and sines of the right angles by hardware's approximations, or of
// angles brought into one turn by a single float32 step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/base/median.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {
namespace {

// Phases of pairs whose angles are exact in every float32 arithmetic, less those angles: what is
// left is the trigonometry's own.
struct Errors {
  std::vector<double> angle, off, noise;
};

// Of angles from 64 on, or from half of the largest: before it the errors are within those of a
// sound function.
Errors errors_of(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  double far = 0;
  for (std::size_t j = 0; j < observation.pairs(); ++j)
    for (const Index row : observation.rows())
      if (is_certain(observation, hypothesis, j))
        far = std::max(far, std::fabs(position_of(hypothesis, row, j)) * hypothesis.frequencies[j]);
  far = std::min(64.0, far / 2);
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
  return observation.has_amplitude() && !hypothesis.split && !hypothesis.ladder &&
         !hypothesis.frequency_type && !hypothesis.position_type && !hypothesis.angle_type &&
         !hypothesis.tf32;
}

// Nearly no cell errs more than an approximation does: another table lies farther off.
bool are_near(const Errors& errors) {
  std::size_t far = 0;
  for (std::size_t i = 0; i < errors.off.size(); ++i)
    far += std::fabs(errors.off[i]) >
           errors.noise[i] + 12 * 0x1p-24 * std::fabs(errors.angle[i]) + 0x1p-19;
  return 20 * far <= errors.off.size() && !errors.off.empty();
}

// Many cells err more than a sound function: damage is rarer.
bool are_beyond_sound(const Errors& errors) {
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < errors.off.size(); ++i)
    beyond += std::fabs(errors.off[i]) > errors.noise[i];
  return 10 * beyond >= 4 * errors.off.size();
}

// All off by one angle, wherever it stands in its turn: another position, and no function's error.
bool are_alike(const Errors& errors) {
  const double middle = median_of(errors.off);
  const auto near = std::ranges::count_if(errors.off, [middle](double off) {
    return std::fabs(off - middle) < 0.1 * std::fabs(middle);
  });
  return 10 * near >= 8 * std::ssize(errors.off);
}

// The same where k·fl(2π) is rounded to float32 before it is taken away, as without a fused
// multiply.
// `whole`: turns are cut off, and not rounded.
double rounded_step_shift(double angle, bool whole) {
  constexpr double turn = 2 * std::numbers::pi;
  const double turns = whole ? std::floor(angle / turn) : std::nearbyint(angle / turn);
  const float taken = static_cast<float>(turns) * static_cast<float>(turn);
  return turns * turn - static_cast<double>(taken);
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
  // The shift has no number to be fitted: that it halves what is left of many cells is its sign,
  // even within the rounding of a short type.
  constexpr std::size_t many = 16;
  const double left =
      std::min({rms(single_step_shift), rms([](double p) { return rounded_step_shift(p, false); }),
                rms([](double p) { return rounded_step_shift(p, true); })}) /
      rms(none);
  if (!are_near(errors) || !(left <= 0.7) ||
      !(are_beyond_sound(errors) || (left <= 0.5 && errors.off.size() >= many)))
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
  if (!are_near(errors) || !are_beyond_sound(errors) || are_alike(errors)) return {};
  Proposal<RotationHypothesis> one{
      hypothesis,
      "cosines and sines are a processor's fast approximations (__sinf, sin.approx): their error "
      "grows with the angle even where the angle is exact",
      1.05};
  one.hypothesis.trigonometry = Trigonometry::fast;
  return {one};
}

constexpr RotationProposer rows[] = {
    {Cause::single_step_reduction, "trigonometry", single_step, may_be_by_angles},
    {Cause::fast_trigonometry, "trigonometry", fast},
};

}  // namespace

std::span<const RotationProposer> trigonometry_causes() { return rows; }

}  // namespace pe
