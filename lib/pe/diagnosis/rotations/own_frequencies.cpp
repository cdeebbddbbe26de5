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

// How often numbers turn from rising to falling, of the times that they could.
double turning_points(const std::vector<double>& numbers) {
  std::vector<double> changes;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] != numbers[i - 1]) changes.push_back(numbers[i] - numbers[i - 1]);
  double count = 0;
  for (std::size_t i = 1; i < changes.size(); ++i)
    count += (changes[i] > 0) != (changes[i - 1] > 0);
  return changes.size() < 2 ? 0 : count / static_cast<double>(changes.size() - 1);
}

// Whether magnitudes, once sorted, lie on a ladder: in another order than its own.
bool is_shuffled_ladder(std::vector<double> numbers) {
  for (double& number : numbers) number = std::log(std::fabs(number));
  std::ranges::sort(numbers);
  const double step = (numbers.back() - numbers.front()) / static_cast<double>(numbers.size() - 1);
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (!(std::fabs(numbers[i] - numbers[i - 1] - step) < step / 4)) return false;
  return true;
}

// Frequencies in no order: neither all, nor those of every second, third or fourth pair, rise or
// fall in long pieces. Of numbers drawn at random two in three are turning points.
bool is_noise(const std::vector<double>& frequencies) {
  constexpr std::size_t fewest = 8, most_axes = 4;
  if (frequencies.size() < fewest || is_shuffled_ladder(frequencies)) return false;
  for (std::size_t axes = 1; axes <= most_axes; ++axes)
    for (std::size_t axis = 0; axis < axes; ++axis) {
      std::vector<double> some;
      for (std::size_t j = axis; j < frequencies.size(); j += axes) some.push_back(frequencies[j]);
      if (some.size() < fewest / 2) continue;
      if (turning_points(some) < 0.3) return false;
    }
  return true;
}

bool holds(const RotationObservation& observation, const Dump& dump,
           const RotationHypothesis& hypothesis) {
  return observation.agrees(hypothesis) && disagreeing_rows(observation, dump, hypothesis).empty();
}

}  // namespace

std::optional<OwnFrequencies> own_frequencies(const Expectation& expected, const Dump& dump) {
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
    if (!holds(observation, dump, hypothesis)) continue;
    const bool nearly_all = 4 * own->size() >= 3 * observation.pairs();
    return OwnFrequencies{spell(*own, observation.pairs()),
                          nearly_all && is_noise(hypothesis.frequencies),
                          observation.measure(hypothesis).residual};
  }
  return {};
}

}  // namespace pe
