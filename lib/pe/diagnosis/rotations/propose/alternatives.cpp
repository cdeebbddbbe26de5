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

}  // namespace pe
