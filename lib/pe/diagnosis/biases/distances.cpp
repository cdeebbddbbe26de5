// Distances that are counted as others, every one by the same rule; and queries that stand
// elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

// The distance from which on the keys of the last query all have one bias; of the head that shows
// it last, for rounding may have made others' biases one before.
std::optional<std::int64_t> farthest_seen(const BiasObservation& observation) {
  const BiasShape& shape = observation.shape;
  if (shape.slopes || shape.keys < 4) return {};
  constexpr Index most = 64;  // heads
  std::vector<double> row(static_cast<std::size_t>(shape.keys));
  const auto open = [&](double value) {
    return std::isfinite(value) && !observation.mask->holds(value);
  };
  const std::int64_t query = shape.first_query + shape.queries - 1;
  std::optional<std::int64_t> farthest;
  for (Index head = 0; head < std::min(shape.heads, most); ++head) {
    observation.array->read(((head + 1) * shape.queries - 1) * shape.keys, shape.keys, row.data());
    const auto first = std::ranges::find_if(row, open);
    const auto end = std::find_if(first, row.end(), [&](double value) { return value != *first; });
    const std::int64_t last = shape.first_key + (end - row.begin()) - 1;
    if (end - first < 2 || end == row.end() || last >= query) continue;
    farthest = std::max(farthest.value_or(0), query - last);
  }
  return farthest;
}

}  // namespace

BiasProposals offer_distances(const BiasObservation& observation,
                              const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (const auto farthest = farthest_seen(observation); farthest && is_by_distance(hypothesis)) {
    BiasHypothesis other = hypothesis;
    other.farthest = *farthest;
    proposals.push_back({std::move(other),
                         fmt::format("every distance beyond {0} is counted as {0}", *farthest),
                         1.05});
    // Of buckets; any other bias is 0 at a distance of 0.
    if (observation.bias->buckets && observation.bias->fill && !is_linear(hypothesis))
      proposals.push_back(
          {of_values(hypothesis, [last = static_cast<double>(*farthest) - 1](
                                     Index, double distance,
                                     double meant) { return distance > last ? 0 : meant; }),
           fmt::format("there is no bias beyond a distance of {}", *farthest - 1), 1.1});
  }
  for (const std::int64_t more : {1, -1, 2, -2})
    for (const bool kept : {false, true}) {
      if (kept && (!is_by_distance(hypothesis) || observation.bias->buckets)) continue;
      BiasHypothesis other = hypothesis;
      other.farther = more;
      other.kept_diagonal = kept;
      proposals.push_back(
          {std::move(other),
           fmt::format("every distance{} is counted as {} {}", kept ? " but 0" : "",
                       std::abs(more) == 1 ? "one" : "two", more > 0 ? "more" : "less"),
           std::abs(more) == 1 && !observation.bias->buckets ? 1 : 1.05});
    }
  // Where both sides are punished alike queries that stand elsewhere show; a mask, or a constant in
  // each row, hides them.
  for (const std::int64_t more : {1, -1})
    if (!observation.bias->causal && !hypothesis.masked && !observation.bias->rows) {
      BiasHypothesis other = hypothesis;
      other.query_shift += more;
      proposals.push_back({std::move(other),
                           fmt::format("queries stand one position {} than their own keys",
                                       more > 0 ? "later" : "earlier"),
                           1.05});
    }
  return proposals;
}

}  // namespace pe
