// The weights of a bias behind another map of buckets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

// The given weight of a bucket that no pair reads; NaN where none was given.
double given_weight(const Expectation& expected, Index bucket, Index head) {
  const Array* const weights =
      expected.parameters.has("weights") ? &expected.parameters.tensor("weights") : nullptr;
  if (!weights || weights->rank() != 2 || bucket < 0 || bucket >= weights->shape()[0] ||
      head >= weights->shape()[1])
    return std::numeric_limits<double>::quiet_NaN();
  return weights->at(bucket * weights->shape()[1] + head);
}

// The last query of head 0, against what is meant of each offset.
std::vector<std::int64_t> moves_of(const BiasObservation& observation) {
  const Bias& bias = *observation.bias;
  const BiasShape& axes = observation.shape;
  if (!bias.fill || !bias.buckets->by_offset || axes.queries == 0) return {};
  std::vector<double> row(static_cast<std::size_t>(axes.keys));
  observation.array->read((axes.queries - 1) * axes.keys, axes.keys, row.data());
  std::map<Index, double> weights;  // by bucket
  const auto meant = [&](std::int64_t offset) {
    const auto [found, is_new] = weights.try_emplace(bias.buckets->of(0, offset), 0.0);
    if (is_new)
      bias.fill(0, std::max<std::int64_t>(0, -offset), {std::max<std::int64_t>(0, offset), 1, 1, 0},
                DType::f64, reinterpret_cast<std::byte*>(&found->second));
    return found->second;
  };
  constexpr double near = 0.01;
  return moves_along(axes.first_query + axes.queries - 1, axes.first_key, axes.keys,
                     [&](Index i, std::int64_t offset) {
                       const double got = row[static_cast<std::size_t>(i)], want = meant(offset);
                       return got == want || std::fabs(got - want) <= near * std::fabs(want);
                     });
}

}  // namespace

BiasProposals offer_bucketed(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                             BucketFault fault) {
  BiasProposals proposals;
  if (!observation.bias->buckets || observation.shape.slopes) return proposals;
  BucketEvidence evidence;
  const BiasShape& axes = observation.shape;
  const bool bounded = fault == BucketFault::boundary || fault == BucketFault::max_distance;
  if (bounded && axes.queries > 0 && observation.bias->buckets->by_offset) {
    std::vector<double> row(static_cast<std::size_t>(axes.keys));
    observation.array->read((axes.queries - 1) * axes.keys, axes.keys, row.data());
    evidence.changes = changes_along(axes.first_query + axes.queries - 1, axes.first_key, row);
    evidence.farthest = axes.first_query + axes.queries - axes.first_key;
    if (fault == BucketFault::max_distance)
      evidence.balance = balance_of(evidence.changes, evidence.farthest);
  }
  if (fault == BucketFault::offset) evidence.moves = moves_of(observation);
  // What nobody gave is what the dump holds for the pair.
  const auto unread = [&](Index head, Index bucket, std::int64_t query, std::int64_t key) {
    if (const double given = given_weight(*observation.expected, bucket, head);
        std::isfinite(given))
      return given;
    const std::int64_t offset = key - query;
    if (observation.bias->buckets->by_offset)
      query = std::max(axes.first_query, axes.first_key - offset);
    const Index row = query - axes.first_query, column = query + offset - axes.first_key;
    double value = std::numeric_limits<double>::quiet_NaN();
    if (head < axes.heads && row >= 0 && row < axes.queries && column >= 0 && column < axes.keys)
      observation.array->read((head * axes.queries + row) * axes.keys + column, 1, &value);
    return value;
  };
  for (BucketMap& map :
       bucket_maps(*observation.expected, *observation.bias->buckets, fault, evidence)) {
    BiasHypothesis other = hypothesis;
    const auto made =
        map.changes.empty() ? std::nullopt : observation.expected->remake(map.changes);
    other.bias = made ? std::make_shared<const Bias>(std::get<Bias>(made->effect))
                      : std::make_shared<const Bias>(with_buckets(
                            *observation.bias, map.buckets,
                            observation.shape.last_key() - observation.shape.first_key, unread));
    proposals.push_back({std::move(other), std::move(map.sentence), map.cost});
  }
  return proposals;
}

}  // namespace pe
