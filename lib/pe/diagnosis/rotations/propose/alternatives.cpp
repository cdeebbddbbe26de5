// Proposals of scalings: remaking, and values that a parameter is mistaken for.
#include "pe/diagnosis/rotations/propose/alternatives.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pe {

bool is_scaled(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  const std::string scaling = text_of(observation, hypothesis, "scaling");
  return !scaling.empty() && scaling != "none";
}

Given changed(std::initializer_list<std::pair<const char*, std::string>> changes) {
  Given given;
  for (const auto& [name, text] : changes) given[name] = {text, "diagnosis", ""};
  return given;
}

void add_both(const RotationObservation& observation, const RotationHypothesis& hypothesis,
              const Given& changes, const std::string& sentence, double cost,
              RotationProposals& all) {
  auto other = remade(observation, hypothesis, changes);
  if (!other) return;
  all.push_back({*other, sentence, cost});
  if (other->cosine_magnitude == hypothesis.cosine_magnitude) return;
  other->cosine_magnitude = hypothesis.cosine_magnitude;
  other->sine_magnitude = hypothesis.sine_magnitude;
  all.push_back({*other, sentence + " (the attention factor is there)", cost + 0.01});
}

namespace {

// Whole numbers and simple multiples that a parameter is mistaken for.
std::vector<std::string> candidates(const RotationObservation& observation,
                                    const RotationHypothesis& hypothesis, const std::string& name) {
  const std::string text = text_of(observation, hypothesis, name);
  std::vector<std::string> values;
  if (text.empty()) return values;
  const double value = std::atof(text.c_str());
  const auto add = [&](double v) {
    if (v > 0 && v != value && std::isfinite(v)) values.push_back(fmt::format("{:.17g}", v));
  };
  const double max = std::atof(text_of(observation, hypothesis, "max-position").c_str()),
               original =
                   std::atof(text_of(observation, hypothesis, "original-max-position").c_str()),
               factor = std::atof(text_of(observation, hypothesis, "factor").c_str());
  if (name == "factor") {
    // The slowest pair is divided by all of it.
    const std::vector<double> measured = observation.measured(hypothesis),
                              &unscaled = observation.truth().unscaled;
    if (!unscaled.empty() && unscaled.size() == measured.size() && measured.back() > 0)
      for (const int digits : {1, 2, 3})
        add(std::stod(fmt::format("{:.{}g}", unscaled.back() / measured.back(), digits)));
    if (original > 0) add(max / original);
    for (const double v : {value / 2, value * 2, 2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 64.0}) add(v);
  }
  if (name == "original-max-position" || name == "seq-len") {
    for (const double v : {max, original * factor, max / factor, original, value / 2, value * 2,
                           2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131072.0})
      if (v == std::floor(v) && v >= 1) add(v);
  }
  return values;
}

}  // namespace

void add_other_values(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                      const std::string& name, RotationProposals& all) {
  for (const std::string& value : candidates(observation, hypothesis, name))
    add_both(observation, hypothesis, changed({{name.c_str(), value}}),
             fmt::format("{} {}, where {} is meant", name, value, meant(observation, name)),
             text_of(observation, hypothesis, "scaling") == "linear" ? 1 : 1.05, all);
}

}  // namespace pe
