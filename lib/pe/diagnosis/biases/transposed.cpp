// Queries and keys in each other's place.
#include <cmath>
#include <limits>

#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

BiasProposals transposed(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  // Where the offset alone decides, its sign may be taken wrongly for any number of queries.
  const bool by_offset = observation.bias->buckets && observation.bias->buckets->by_offset;
  if (observation.shape.slopes ||
      (observation.shape.queries != observation.shape.keys && !by_offset))
    return {};
  BiasHypothesis other = hypothesis;
  other.transposed = !hypothesis.transposed;
  const bool buckets = observation.bias->buckets && observation.bias->scaled_terms == 1;
  return {{std::move(other),
           buckets ? "the bucket is that of query - key, where key - query is meant (or queries "
                     "and keys are swapped)"
                   : "queries and keys are swapped",
           observation.shape.queries == observation.shape.keys ? 1 : 1.02}};
}

// Whether the first query of a dump that shows what is to be masked has, at the keys after it, the
// bias that these have for it.
bool is_mirrored(const BiasObservation& observation, const BiasHypothesis& mirrored) {
  const BiasShape& shape = observation.shape;
  std::vector<double> truth(static_cast<std::size_t>(shape.keys));
  observation.evaluate(mirrored, 0, shape.first_query, shape.first_key, shape.keys, truth.data());
  std::vector<double> got(truth.size());
  observation.array->read(0, shape.keys, got.data());
  bool any = false;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (!observation.is_later(shape.first_query, shape.first_key + static_cast<Index>(k))) continue;
    const double off = std::fabs(got[k] - truth[k]);
    if (!(off <= observation.allowed(mirrored, 0, truth[k], got[k], 0, static_cast<double>(k))))
      return false;
    any = any || truth[k] != 0;
  }
  return any;
}

}  // namespace

BiasProposals offer_bias_transposed(const BiasObservation& observation,
                                    const BiasHypothesis& hypothesis) {
  // Of TUPE what buckets decide is a part of it alone.
  if (observation.bias->buckets && observation.bias->scaled_terms == 1) return {};
  BiasProposals proposals = transposed(observation, hypothesis);
  if (proposals.empty() || !observation.base.masked) return proposals;
  BiasHypothesis mirrored = proposals.front().hypothesis, none = hypothesis;
  mirrored.masked = false;
  if (!is_mirrored(observation, mirrored)) return proposals;
  none.zero_from = std::numeric_limits<std::int64_t>::min();
  none.constant = BiasHypothesis::Constant::none;
  proposals.push_back(
      {std::move(none),
       "queries and keys are swapped: keys after the query have the bias, and those "
       "before it have none",
       0.7});
  return proposals;
}

BiasProposals offer_bucket_transposed(const BiasObservation& observation,
                                      const BiasHypothesis& hypothesis) {
  return observation.bias->buckets && observation.bias->scaled_terms == 1
             ? transposed(observation, hypothesis)
             : BiasProposals{};
}

}  // namespace pe
