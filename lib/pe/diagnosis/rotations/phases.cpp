// Phases of the probes beside the angles that a hypothesis gives them.
#include <cmath>

#include "pe/diagnosis/rotations/angles.hpp"
#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

bool is_certain(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                std::size_t pair) {
  const double frequency = hypothesis.frequencies[pair];
  const std::vector<double>& unscaled = observation.truth().unscaled;
  int exponent;
  return frequency == 1 || (pair < unscaled.size() && unscaled[pair] == 1 && frequency > 0 &&
                            std::frexp(frequency, &exponent) == 0.5);
}

std::vector<Phase> phases_of(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis, std::size_t j) {
  std::vector<Phase> phases;
  const double file = observation.grain();
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    const Index row = observation.rows()[i];
    if (hypothesis.row && hypothesis.row(row) != RotationHypothesis::Row::turns) continue;
    const double p = position_of(hypothesis, row, j), angle = p * hypothesis.frequencies[j];
    double c = observation.cosine(i, j), s = observation.sine(i, j);
    if (hypothesis.swapped) std::swap(c, s);
    if (hypothesis.cosine_magnitude != hypothesis.sine_magnitude) {
      c *= hypothesis.sine_magnitude;
      s *= hypothesis.cosine_magnitude;
    }
    const double norm = std::hypot(c, s), slack = observation.slack(i, j);
    if (!(norm > 0) || !std::isfinite(slack)) continue;
    const double got = std::atan2(hypothesis.reversed ? -s : s, c);
    phases.push_back(
        {p, std::remainder(got - angle, 2 * std::acos(-1.0)), 0.8 * 0x1p-24 + file + slack / norm});
  }
  return phases;
}

}  // namespace pe
