// The measured ladder beside the one that is meant, and hypotheses of other ladders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/rotations/propose/fitted.hpp"

namespace pe {

const Scaling* meant_scaling(const RotationObservation& observation) {
  const Parameters& parameters = observation.expected().parameters;
  if (!parameters.has("scaling") || parameters.choice("scaling") == "none") return nullptr;
  return &find_scaling(parameters.choice("scaling"));
}

double meant_base(const RotationObservation& observation) {
  const Parameters& parameters = observation.expected().parameters;
  return parameters.has("base") ? parameters.number("base").value() : 0;
}

bool is_ramp(LadderRule rule) {
  return rule == LadderRule::ramped || rule == LadderRule::banded || rule == LadderRule::given;
}

void add_ladder(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                const MeasuredLadder& measured, const BasicLadder<double>& ladder, Settings changes,
                const std::string& sentence, double cost, RotationProposals& all) {
  RotationHypothesis other = hypothesis;
  other.frequencies = ladder.frequencies;
  other.angle_ulps = angle_ulps_of(ladder.frequencies, measured.plain.frequencies, ladder.recipe);
  for (auto& [name, value] : changes) other.changes[name] = value;
  all.push_back({other, sentence, cost});
  const double meant = observation.truth().magnitude;
  const bool as_meant = hypothesis.cosine_magnitude == meant && hypothesis.sine_magnitude == meant;
  if (!observation.has_amplitude() || !as_meant || ladder.magnitude == meant) return;
  all.back().sentence += " (the attention factor is as meant)";
  all.back().cost += 0.01;
  other.cosine_magnitude = other.sine_magnitude = ladder.magnitude;
  all.push_back({other, sentence, cost});
}

Settings meant_settings(const RotationObservation& observation, const Scaling* scaling) {
  Settings settings = settings_of(observation.expected().parameters);
  if (scaling) settings.merge(fallbacks_of(scaling->parameters));
  return settings;
}

std::string words_of_meant(const RotationObservation& observation) {
  const Scaling* scaling = meant_scaling(observation);
  return scaling ? spell_scaling(*scaling, meant_settings(observation, scaling)) : "none";
}

std::optional<MeasuredLadder> measured_ladder(const RotationObservation& observation,
                                              const RotationHypothesis& hypothesis, double base) {
  const RotationTruth& truth = observation.truth();
  if (!observation.expected().encoding->scalable || !(base > 1) || !hypothesis.changes.empty() ||
      hypothesis.frequencies != truth.frequencies || truth.unscaled.size() < observation.pairs() ||
      observation.pairs() < 2 || !(truth.unscaled[1] > 0))
    return {};
  // The exponents' own denominator, which is not the pairs' number where the head turns in part.
  const std::optional<Index> dim = whole<Index>(
      std::round(-2 * std::log(meant_base(observation)) / std::log(truth.unscaled[1])));
  if (!dim) return {};
  MeasuredLadder measured;
  measured.plain = geometric_ladder(base, *dim, static_cast<Index>(observation.pairs()));
  measured.frequencies = observation.measured(hypothesis);
  measured.errors = observation.errors_from_rule(hypothesis);
  if (observation.has_amplitude()) {
    measured.amplitude = observation.amplitude();
    measured.amplitude_error = 2 * observation.grain() + 0x1p-22;
  }
  if (observation.has_rows()) measured.length = static_cast<double>(observation.slots());
  measured.context = meant_settings(observation, meant_scaling(observation));
  return measured;
}

}  // namespace pe
