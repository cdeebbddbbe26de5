// Causes of the ladder's shape: fewer pairs that turn, a ladder that starts again with each axis,
// or runs on over them, equal steps.
#include "pe/diagnosis/rotations/propose/other_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/base.hpp"

namespace pe {
namespace {

// The first pair from which on none turns; all of them where the last one does.
std::size_t turning_pairs(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.measured_errors(hypothesis);
  std::size_t turning = measured.size();
  while (turning > 0 && std::fabs(measured[turning - 1]) <= errors[turning - 1]) --turning;
  return turning;
}

}  // namespace

RotationProposals narrower(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  const std::vector<double>& f = hypothesis.frequencies;
  const std::size_t pairs = f.size();
  if (!hypothesis.axis.empty() || pairs != observation.pairs() || !hypothesis.changes.empty() ||
      !observation.truth().width.empty() ||  // the reading says another width
      std::ranges::any_of(f, [](double one) { return !(one > 0); }))
    return {};
  // Slow pairs may stand as those that do not turn: fewer than were seen to.
  const std::size_t turning = turning_pairs(observation, hypothesis);
  if (turning == 0 || turning > pairs - pairs / 16 - 1) return {};
  const double base = number_of(observation, hypothesis, "base");
  if (!(base > 1) || f != observation.truth().unscaled) return {};
  RotationProposals all;
  for (std::size_t count = turning; count <= pairs - pairs / 16 - 1 && count <= turning + pairs / 8;
       ++count) {
    const auto width = static_cast<double>(2 * count);
    all.push_back({hypothesis,
                   fmt::format("the first {} of {} pairs turn, by exponents over {:g}, the others "
                               "do not",
                               count, pairs, width),
                   1});
    std::vector<double>& own = all.back().hypothesis.frequencies;
    for (std::size_t j = 0; j < pairs; ++j)
      own[j] = j < count ? std::pow(base, -2 * static_cast<double>(j) / width) : 0;
  }
  return all;
}

RotationProposals equal_steps(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  const double base = number_of(observation, hypothesis, "base");
  const std::size_t pairs = hypothesis.frequencies.size();
  if (!hypothesis.axis.empty() || pairs < 4 || !hypothesis.changes.empty() || !(base > 1))
    return {};
  RotationProposals all;
  const auto steps = static_cast<double>(pairs - 1);
  for (const double last : {1 / base, hypothesis.frequencies.back(), 0.0, 1 / (steps + 1)}) {
    RotationHypothesis other = hypothesis;
    for (std::size_t j = 0; j < pairs; ++j)
      other.frequencies[j] = 1 + (last - 1) * static_cast<double>(j) / steps;
    all.push_back({std::move(other),
                   fmt::format("frequencies go from 1 to {:.6g} by equal steps, where powers of "
                               "the base are meant",
                               last),
                   1.1});
  }
  return all;
}

RotationProposals ladders_of_axes(const RotationObservation& observation,
                                  const RotationHypothesis& hypothesis) {
  const std::size_t pairs = hypothesis.axis.size();
  if (hypothesis.axis.empty() || pairs != hypothesis.frequencies.size()) return {};
  double base = number_of(observation, hypothesis, "base");
  if (base == 0) base = meant_base_of_axes(observation, hypothesis).value_or(0);
  if (!(base > 1)) return {};
  std::map<std::size_t, double> counts, next;
  for (const std::size_t axis : hypothesis.axis) ++counts[axis];
  RotationHypothesis own = hypothesis, again = hypothesis, on = hypothesis;
  for (std::size_t j = 0; j < pairs; ++j) {
    const std::size_t axis = hypothesis.axis[j];
    const double k = next[axis]++;
    own.frequencies[j] = std::pow(base, -k / counts[axis]);
    again.frequencies[j] = std::pow(base, -k / static_cast<double>(pairs));
    on.frequencies[j] = std::pow(base, -static_cast<double>(j) / static_cast<double>(pairs));
  }
  RotationProposals all;
  const auto offer = [&](RotationHypothesis other, const char* sentence,
                         std::optional<Cause> cause = {}) {
    if (other.frequencies != hypothesis.frequencies)
      all.push_back({std::move(other), sentence, 1.07, cause});
  };
  bool have_own = true;
  for (std::size_t j = 0; j < pairs; ++j)
    have_own = have_own && std::fabs(own.frequencies[j] - hypothesis.frequencies[j]) <=
                               1e-12 * hypothesis.frequencies[j];
  offer(std::move(own), "each axis has a ladder of its own, from 1 to the base over its pairs");
  if (have_own)
    offer(std::move(again), "exponents of each axis go over the channels of all",
          Cause::wrong_denominator);
  else
    offer(std::move(again),
          "the ladder starts again with each axis, by the exponents of all pairs");
  offer(std::move(on), "one ladder runs over the pairs of all axes, where each has its own");
  return all;
}

}  // namespace pe
