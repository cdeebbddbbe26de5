// Proposals of scalings: an effect made again, with either amplitude.
#include "pe/diagnosis/rotations/propose/alternatives.hpp"

namespace pe {

bool is_scaled(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  const std::string scaling = word_of(observation, hypothesis, "scaling");
  return !scaling.empty() && scaling != "none";
}

void add_both(const RotationObservation& observation, const RotationHypothesis& hypothesis,
              const Settings& changes, const std::string& sentence, double cost,
              RotationProposals& all) {
  auto other = remade(observation, hypothesis, changes);
  if (!other) return;
  all.push_back({*other, sentence, cost});
  if (other->cosine_magnitude == hypothesis.cosine_magnitude) return;
  other->cosine_magnitude = hypothesis.cosine_magnitude;
  other->sine_magnitude = hypothesis.sine_magnitude;
  all.push_back({*other, sentence + " (the attention factor is there)", cost + 0.01});
}

RotationHypothesis changed_from(const RotationObservation& observation,
                                const RotationHypothesis& first, Index slot,
                                const RotationHypothesis& then) {
  RotationHypothesis mixed = first;
  mixed.split = {[reading = observation.reading(), slot](Index row) {  // which outlives it
                   return reading.slot(row) >= slot;
                 },
                 then.frequencies, then.cosine_magnitude};
  return mixed;
}

Index first_slot_unlike(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  const RotationPrediction prediction = observation.prediction(hypothesis);
  std::vector<double> c(observation.pairs()), s = c, bound = c;
  Index unlike = -1;
  const RotationReading& reading = observation.reading();
  const Index last = reading.run > 0 ? reading.run * reading.stride : reading.rows;
  observation.scan([&](Index row, const double* cosine, const double* sine, const double* slack) {
    if (row >= last) return false;
    prediction.row(row, c, s, bound);
    for (std::size_t j = 0; j < c.size() && unlike < 0; ++j) {
      const double limit = bound[j] + slack[j];
      if ((observation.has_cosine() && !prediction.allows(cosine[j], c[j], limit)) ||
          (observation.has_sine() && !prediction.allows(sine[j], s[j], limit)))
        unlike = observation.slot(row);
    }
    return unlike < 0;
  });
  return unlike;
}

}  // namespace pe
