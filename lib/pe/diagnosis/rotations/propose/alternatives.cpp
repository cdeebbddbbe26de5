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

Index first_row_unlike(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  const RotationPrediction prediction = observation.prediction(hypothesis);
  std::vector<double> c(observation.pairs()), s = c, bound = c;
  Index unlike = -1;
  observation.scan([&](Index row, const double* cosine, const double* sine) {
    prediction.row(row, c.data(), s.data(), bound.data());
    for (std::size_t j = 0; j < c.size(); ++j)
      if ((observation.has_cosine() && !prediction.allows(cosine[j], c[j], bound[j])) ||
          (observation.has_sine() && !prediction.allows(sine[j], s[j], bound[j])))
        unlike = row;
    return unlike < 0;
  });
  return unlike;
}

}  // namespace pe
