// Heads of a bias some of which are right: the others by themselves.
#include "pe/diagnosis/biases/some_heads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/biases/residuals.hpp"

namespace pe {
namespace {

// The planes of some heads, of every batch.
Stored of_heads(const Stored& array, const BiasShape& shape, const std::vector<Index>& heads) {
  Stored some = array;
  const Index plane = shape.queries * shape.keys;
  some.shape = {shape.batch, std::ssize(heads), shape.queries, shape.keys};
  some.fill = [fill = array.fill, all = shape.heads, heads, plane, size = size_of(array.dtype)](
                  Index first, Index count, std::byte* out) {
    while (count > 0) {
      const Index of = first / plane, at = first % plane, here = std::min(count, plane - at),
                  own = std::ssize(heads);
      fill((of / own * all + heads[static_cast<std::size_t>(of % own)]) * plane + at, here, out);
      first += here;
      count -= here;
      out += static_cast<std::size_t>(here) * size;
    }
  };
  return some;
}

// The observation's probes of one head.
BiasObservation of_head(const BiasObservation& observation, Index head) {
  BiasObservation one = observation;
  std::erase_if(one.probes, [&](const BiasObservation::Probe& probe) {
    return probe.plane % observation.shape.heads != head;
  });
  return one;
}

std::vector<Index> heads_of(const BiasHypothesis& hypothesis, const std::vector<Index>& some) {
  std::vector<Index> heads;
  for (const Index head : some) heads.push_back(hypothesis.heads[static_cast<std::size_t>(head)]);
  return heads;
}

}  // namespace

std::string spell_heads(const std::vector<Index>& heads, const BiasShape& shape) {
  constexpr std::size_t most = 8;
  if (heads.size() == 1) return fmt::format("head {}", heads[0]);
  if (heads.size() <= most) return fmt::format("heads {}", fmt::join(heads, ", "));
  return fmt::format("{} of {} heads, the first {}", heads.size(), shape.heads, heads[0]);
}

std::optional<HeadObservation> wrong_heads(const BiasObservation& observation,
                                           const BiasHypothesis& hypothesis) {
  const BiasShape& shape = observation.shape;
  if (shape.slopes || shape.heads < 2) return {};
  std::vector<Index> right;
  HeadObservation some;
  for (Index head = 0; head < shape.heads; ++head)
    (of_head(observation, head).agrees(hypothesis) ? right : some.heads).push_back(head);
  if (right.empty() || some.heads.empty()) return {};
  const auto held = [&](const std::vector<Index>& heads) {
    some.array = std::make_shared<const Stored>(of_heads(*observation.array, shape, heads));
    BiasObservation one = observe_bias(*observation.expected, *some.array);
    one.has_gaps = observation.has_gaps;
    one.bound = observation.bound;
    one.base.heads = heads_of(observation.base, heads);
    return one;
  };
  some.hypothesis = hypothesis;
  some.hypothesis.heads = heads_of(hypothesis, right);
  some.observation = held(right);
  if (!bias_pass(some.observation, *some.array, some.hypothesis).residuals.agrees()) return {};
  some.hypothesis.heads = heads_of(hypothesis, some.heads);
  some.observation = held(some.heads);
  return some;
}

}  // namespace pe
