// The number that a file holds for each pair, beside the one that is meant.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/verdict.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

// A vector of frequencies has one row; every pair is looked at.
RotationResiduals residuals_of_frequencies(const RotationObservation& observation,
                                           const Attempt& attempt) {
  RotationResiduals residuals;
  const RotationHypothesis start = observation.start();
  const RotationPrediction prediction = observation.prediction(start);
  std::vector<double> want(observation.pairs()), bound(observation.pairs());
  prediction.frequencies(want.data(), bound.data());
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    const double got = observation.measured()[j], off = std::fabs(got - want[j]);
    ++residuals.cells;
    // Of periods, wavelengths and factors the number in the file is another, and so is its
    // rounding.
    const bool reciprocal = attempt.reading.form != Form::frequencies;
    const double turn = attempt.reading.form == Form::wavelengths ? 2 * std::numbers::pi : 1;
    const double round = reciprocal ? turn / rounded_once(turn / want[j], observation.dtype())
                                    : rounded_once(want[j], observation.dtype());
    if (attempt.reading.form == Form::factors || got != round) {
      residuals.rounded_otherwise += got != round;
      if (got != round && round != 0)
        residuals.ulps = std::max(
            residuals.ulps, std::fabs(got / round - 1) / unit_roundoff(observation.dtype()) / 2);
    }
    const Cell cell{fmt::format("pair {}", j), want[j], got};
    // An infinite period is a frequency of 0, where one is meant.
    const bool is_infinite = reciprocal && got == 0 && want[j] != 0;
    if ((!std::isfinite(got) || is_infinite) && residuals.not_finite++ == 0)
      residuals.first_not_finite = cell;
    residuals.beyond += !(off <= bound[j]);
    if (!(off <= bound[j]) && !residuals.first_wrong) residuals.first_wrong = cell;
    if (!(off <= std::fabs(want[j]) * (observation.truth().growth[j] * 0x1p-53 +
                                       unit_roundoff(observation.dtype()))))
      residuals.in_double = false;
    if (residuals.worst_cell.place.empty() || off > residuals.worst) {
      residuals.worst = off;
      residuals.worst_cell = cell;
      residuals.bound = bound[j];
    }
  }
  return residuals;
}

}  // namespace

RotationResiduals residuals_of(const RotationObservation& observation, const Dump& dump,
                               const Attempt& attempt) {
  return observation.has_rows() ? residuals_from_truth(observation, dump, attempt.effect)
                                : residuals_of_frequencies(observation, attempt);
}

}  // namespace pe
