// Heads that stand in others' places, of a bias that is no slope.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {

// Heads that stand in another order: for each head of the dump the head meant that agrees with it.
BiasProposals offer_permuted(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  constexpr Index most = 64;  // of which every one is probed
  const Index heads = observation.shape.heads;
  if (is_linear(hypothesis) || heads < 2 || heads > most || heads != observation.bias->heads)
    return {};
  BiasHypothesis other = hypothesis;
  double scale = 1;  // of all heads, told by a cause of its own
  for (Index head = 0; head < heads; ++head) {
    BiasObservation one = observation;
    std::erase_if(one.probes,
                  [&](const BiasObservation::Probe& probe) { return probe.plane % heads != head; });
    const auto at = static_cast<std::size_t>(head);
    BiasHypothesis guess = hypothesis;
    const auto is_head = [&](Index own, bool fitted) {
      guess.heads[at] = own;
      guess.scale = hypothesis.scale;
      if (fitted) scale = slope_ratios(one, guess)[at];
      guess.scale *= scale;
      return std::isfinite(scale) && scale != 0 && one.agrees(guess);
    };
    Index own = -1;
    for (Index i = 0; i < heads && own < 0; ++i)
      if (is_head((head + i) % heads, false)) own = (head + i) % heads;
    for (Index i = 0; i < heads && own < 0 && head == 0; ++i)
      if (is_head(i, true)) own = i;
    if (own < 0) return {};
    other.heads[at] = own;
  }
  if (other.heads == hypothesis.heads) return {};
  std::vector<Index> sorted = other.heads;
  std::ranges::sort(sorted);
  const bool is_order = std::ranges::adjacent_find(sorted) == sorted.end();
  const std::string order = fmt::format("{}", fmt::join(other.heads, ", "));
  return {{std::move(other),
           is_order ? "the heads stand in another order: " + order
                    : "some heads stand in others' places, too: " + order,
           is_order ? 1 : 1.05}};
}

}  // namespace pe
