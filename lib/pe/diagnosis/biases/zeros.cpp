// Biases that are not there: nowhere, from a query on, in some heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {
namespace {

bool is_zero_row(const BiasObservation& observation, Index row) {
  const Index keys = observation.shape.keys;
  std::vector<double> values(static_cast<std::size_t>(keys));
  observation.array->read(row * keys, keys, values.data());
  return std::ranges::all_of(values, [&](double value) {
    return value == 0 || observation.mask->holds(value) || observation.is_gap(value);
  });
}

// The query from which on the rows of the first head hold nothing but zeros, down to the last;
// found by halves.
std::optional<std::int64_t> first_zero_row(const BiasObservation& observation) {
  const BiasShape& shape = observation.shape;
  if (shape.slopes || shape.queries < 2 || !is_zero_row(observation, shape.queries - 1)) return {};
  Index from = 0, to = shape.queries - 1;
  while (from < to) {
    const Index middle = from + (to - from) / 2;
    if (is_zero_row(observation, middle))
      to = middle;
    else
      from = middle + 1;
  }
  return to == 0 ? std::nullopt : std::optional(shape.first_query + to);
}

// Heads that hold nothing but zeros, beside others that do not; empty where there are none.
std::vector<bool> zero_heads(const BiasObservation& observation) {
  const auto heads = static_cast<std::size_t>(observation.shape.heads);
  std::vector<bool> zero(heads, false), seen(heads, false);
  for (const BiasObservation::Probe& probe : observation.probes) {
    const auto head = static_cast<std::size_t>(probe.plane) % heads;
    const bool zeros = std::ranges::all_of(probe.got, [&](double value) {
      return value == 0 || observation.mask->holds(value) || observation.is_gap(value);
    });
    zero[head] = zeros && (zero[head] || !seen[head]);
    seen[head] = true;
  }
  const auto count = std::ranges::count(zero, true);
  return count == 0 || count == std::ssize(zero) ? std::vector<bool>{} : zero;
}

}  // namespace

BiasProposals offer_zeros(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasHypothesis none = hypothesis;
  none.zero_from = std::numeric_limits<std::int64_t>::min();
  none.constant = BiasHypothesis::Constant::none;
  if (observation.shape.slopes) none.scale = 0;
  // Nothing is simpler; a row's constant would let other causes say as much.
  BiasProposals proposals = {{std::move(none), "there is no bias: every value is 0", 0.8}};
  const std::optional<std::int64_t> from = first_zero_row(observation);
  const std::vector<bool> heads = zero_heads(observation);
  using Constant = BiasHypothesis::Constant;
  for (const auto constant : {Constant::none, Constant::key, Constant::key_from_last}) {
    if (constant != Constant::none && !(is_linear(hypothesis) && hypothesis.masked)) continue;
    BiasHypothesis some = hypothesis;
    some.constant = constant;
    if (!heads.empty()) {
      some.zero_heads = heads;
      proposals.push_back({some,
                           fmt::format("{} of {} heads have no bias, the first of them head {}",
                                       std::ranges::count(heads, true), heads.size(),
                                       std::ranges::find(heads, true) - heads.begin()),
                           1});
      some.zero_heads.clear();
    }
    if (!from) continue;
    some.zero_from = from;
    // Zeros as they stand are seen; a row's own constant, which others may need, is granted.
    const double cost = constant == Constant::none ? 0.95 : 1.2;
    proposals.push_back({std::move(some),
                         fmt::format("there is no bias for queries from position {} on, as where "
                                     "decoding with a cache drops it",
                                     *from),
                         cost});
  }
  return proposals;
}

}  // namespace pe
