// Frequencies measured of each pair by itself, as one hypothesis.
#include "pe/diagnosis/rotations/own_frequencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pe/diagnosis/rotations/choice.hpp"
#include "pe/diagnosis/rotations/measured.hpp"
#include "pe/diagnosis/rotations/residuals.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {
namespace {

// A frequency of a pair, and how many times the one that is meant.
struct OwnFrequency {
  std::size_t pair;
  FrequencyFit frequency;
  double ratio;
};

// Those of the pairs that do not turn as they are meant to; nothing where one cannot be told.
std::optional<std::vector<OwnFrequency>> measured_otherwise(const RotationObservation& observation,
                                                            const RotationHypothesis& meant) {
  const std::vector<double> seen = observation.measured(meant);
  std::vector<OwnFrequency> own;
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    const double frequency = meant.frequencies[j],
                 rounding = observation.truth().growth[j] * 0x1p-24 * std::fabs(frequency);
    const FrequencyFit sharp = sharpened(observation, meant, j, seen[j]);
    if (!std::isfinite(sharp.value) || !std::isfinite(sharp.error)) return {};
    if (std::fabs(sharp.value - frequency) <= sharp.error + rounding) continue;
    own.push_back({j, sharp, sharp.value / frequency});
  }
  return own;
}

std::string spell(const std::vector<OwnFrequency>& own, std::size_t pairs) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, own.size()); ++i)
    text += fmt::format("{}pair {} {:.6g}", i == 0 ? "" : ", ", own[i].pair, own[i].ratio);
  if (own.size() > most)
    text += fmt::format("{}pair {} {:.6g}", own.size() > most + 1 ? ", … " : ", ", own.back().pair,
                        own.back().ratio);
  return fmt::format(
      "every pair turns steadily, and {} of {} by frequencies of their own, which no known rule "
      "gives; times those meant: {}",
      own.size(), pairs, text);
}

bool holds(const RotationObservation& observation, const Dump& dump,
           const RotationHypothesis& hypothesis) {
  return observation.agrees(hypothesis) && disagreeing_rows(observation, dump, hypothesis).empty();
}

}  // namespace

std::optional<std::string> own_frequencies(const Expectation& expected, const Dump& dump) {
  if (!is_of_turns(expected.effect)) return {};
  std::vector<Attempt> attempts =
      attempts_of(expected, dump, truth_of(expected), required_layout(expected));
  for (const Attempt& attempt : choose(expected, dump, attempts, {}).kept) {
    if (!attempt.reasons.empty() || attempt.reading.is_one_sided() || attempt.copies_differ)
      continue;
    const RotationObservation observation = observe(expected, dump, attempt, {});
    RotationHypothesis hypothesis = observation.start();
    if (!observation.has_rows() || hypothesis.frequencies.size() != observation.pairs()) continue;
    const auto own = measured_otherwise(observation, hypothesis);
    if (!own || own->empty()) continue;
    hypothesis.angle_ulps = observation.truth().growth;
    for (const auto& [pair, frequency, ratio] : *own) {
      hypothesis.frequencies[pair] = frequency.value;
      if (frequency.value != 0)
        hypothesis.angle_ulps[pair] += frequency.error / std::fabs(frequency.value) / 0x1p-24;
    }
    if (holds(observation, dump, hypothesis)) return spell(*own, observation.pairs());
  }
  return {};
}

}  // namespace pe
