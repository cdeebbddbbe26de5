// A hypothesis's buckets at pairs, the causes that offer hypotheses, and the comparison of every
// cell.
#include "pe/diagnosis/buckets/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/median.hpp"
#include "pe/base/whole.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {

double BucketObservation::bucket(const BucketHypothesis& hypothesis, std::int64_t query,
                                 std::int64_t key) const {
  std::int64_t i = query + hypothesis.query_shift, j = key;
  if (hypothesis.transposed) std::swap(i, j);
  return static_cast<double>(hypothesis.map.of(i, j) + hypothesis.added);
}

Fit BucketObservation::measure(const BucketHypothesis& hypothesis) const {
  Fit fit{0, 0, 0};
  Index cells = 0, within = 0;
  for (const Probe& probe : probes)
    for (Index k = 0; k < probe.keys.count; ++k) {
      const double difference = std::fabs(probe.got[static_cast<std::size_t>(k)] -
                                          bucket(hypothesis, probe.query, probe.keys.at(k)));
      fit.residual = std::max(fit.residual, std::isnan(difference) ? HUGE_VAL : difference);
      within += difference == 0;
      ++cells;
    }
  fit.excess = within == cells ? 0 : HUGE_VAL;
  fit.share = static_cast<double>(within) / static_cast<double>(std::max<Index>(cells, 1));
  return fit;
}

bool BucketObservation::agrees(const BucketHypothesis& hypothesis) const {
  for (const Probe& probe : probes)
    for (Index k = 0; k < probe.keys.count; ++k)
      if (probe.got[static_cast<std::size_t>(k)] !=
          bucket(hypothesis, probe.query, probe.keys.at(k)))
        return false;
  return true;
}

namespace {

using Proposals = std::vector<Proposal<BucketHypothesis>>;

// What a rule adds to relative positions, so that none is negative.
std::int64_t middle_of(const Buckets& map) {
  if (!map.rule) return 0;
  return map.rule->scale == BucketRule::Scale::deberta ? map.rule->count : map.rule->centre;
}

template <BucketFault fault>
Proposals maps(const BucketObservation& observation, const BucketHypothesis& hypothesis) {
  Proposals proposals;
  const BucketBalance balance = [&](const Buckets& map) {
    BucketHypothesis other = hypothesis;
    other.map = map;
    double sum = 0;
    const bool clips = map.rule && map.rule->scale == BucketRule::Scale::clipped;
    for (const BucketObservation::Probe& probe : observation.probes)
      for (Index k = 0; k < probe.keys.count; ++k) {
        const double difference = probe.got[static_cast<std::size_t>(k)] -
                                  observation.bucket(other, probe.query, probe.keys.at(k));
        // Buckets of one side may fall with the distance, where those of the other rise.
        const bool falls = !clips && observation.bucket(hypothesis, probe.query, probe.keys.at(k)) <
                                         observation.bucket(hypothesis, probe.query, probe.query);
        sum += falls ? -difference : difference;
      }
    return sum;
  };
  const BucketShape& shape = observation.shape;
  const std::int64_t farthest =
      std::max(std::abs(shape.first_query + shape.queries - 1 - shape.first_key),
               std::abs(shape.first_key + shape.keys - 1 - shape.first_query)) +
      1;
  BucketEvidence evidence{farthest, balance, {}};
  const auto of_last_query = [&]() -> const BucketObservation::Probe& {
    return *std::ranges::max_element(
        observation.probes, {},
        [](const BucketObservation::Probe& one) { return std::pair(one.query, one.keys.first); });
  };
  if (fault == BucketFault::boundary && !observation.probes.empty()) {
    const BucketObservation::Probe& last = of_last_query();
    evidence.changes = changes_along(last.query, last.keys.first, last.got);
    evidence.farthest = last.query - last.keys.first + 1;
  }
  if (fault == BucketFault::offset && hypothesis.map.by_offset && !observation.probes.empty()) {
    const BucketObservation::Probe& last = of_last_query();
    evidence.moves = moves_along(
        last.query, last.keys.first, last.keys.count, [&](Index i, std::int64_t offset) {
          return last.got[static_cast<std::size_t>(i)] ==
                 observation.bucket(hypothesis, std::max<std::int64_t>(0, -offset),
                                    std::max<std::int64_t>(0, offset));
        });
  }
  for (BucketMap& map : bucket_maps(*observation.expected, hypothesis.map, fault, evidence)) {
    BucketHypothesis other = hypothesis;
    other.map = std::move(map.buckets);
    // Relative positions before the middle of the table is added have none in another table.
    if (hypothesis.added != 0 && hypothesis.added == -middle_of(hypothesis.map) && other.map.rule)
      other.added = -middle_of(other.map);
    proposals.push_back({std::move(other), std::move(map.sentence), map.cost});
  }
  return proposals;
}

Proposals transposed(const BucketObservation& observation, const BucketHypothesis& hypothesis) {
  BucketHypothesis other = hypothesis;
  other.transposed = !hypothesis.transposed;
  const bool key_less = hypothesis.map.rule && hypothesis.map.rule->sign > 0 &&
                        hypothesis.map.rule->scale != BucketRule::Scale::window;
  return {{std::move(other),
           key_less ? "the buckets are those of query - key, where key - query is meant"
                    : "the buckets are those of key - query, where query - key is meant",
           observation.shape.queries == observation.shape.keys ? 1 : 1.02}};
}

Proposals alignment(const BucketObservation& observation, const BucketHypothesis& hypothesis) {
  if (observation.shape.queries == observation.shape.keys ||
      observation.shape.layout == "bucket-offsets")
    return {};
  BucketHypothesis other = hypothesis;
  other.query_shift = observation.shape.first_key - observation.shape.first_query;
  return {
      {std::move(other), spell_misaligned(observation.shape.queries, observation.shape.keys), 1}};
}

Proposals offsets(const BucketObservation& observation, const BucketHypothesis& hypothesis) {
  Proposals proposals = maps<BucketFault::offset>(observation, hypothesis);
  std::vector<double> differences;
  for (const BucketObservation::Probe& probe : observation.probes)
    for (Index k = 0; k < probe.keys.count; ++k)
      differences.push_back(probe.got[static_cast<std::size_t>(k)] -
                            observation.bucket(hypothesis, probe.query, probe.keys.at(k)));
  if (differences.empty() || std::ranges::any_of(differences, [](double d) { return d != d; }))
    return proposals;
  const double middle = median_of(std::move(differences));
  const std::optional<std::int64_t> added = whole<std::int64_t>(middle);
  if (middle == 0 || !added || std::fabs(middle) > 0x1p40) return proposals;
  BucketHypothesis other = hypothesis;
  other.added = *added;
  proposals.insert(proposals.begin(),
                   {std::move(other), fmt::format("{:+} is added to every bucket", *added), 1});
  return proposals;
}

constexpr Proposer<BucketObservation> causes[] = {
    {Cause::bucket_transposed, "axes", &transposed},
    {Cause::bucket_direction, "direction", &maps<BucketFault::direction>},
    {Cause::bias_alignment, "alignment", &alignment},
    {Cause::bucket_count, "count", &maps<BucketFault::count>},
    {Cause::bucket_max_distance, "distance", &maps<BucketFault::max_distance>},
    {Cause::bucket_offset, "offset", &offsets},
    {Cause::bucket_boundary, "boundary", &maps<BucketFault::boundary>},
    {Cause::bucket_boundary, "boundary", &offer_read_buckets},
    {Cause::axes_swapped, "window", &maps<BucketFault::axes>},
    {Cause::bucket_transposed, "window", &maps<BucketFault::signs>},
};

}  // namespace

std::span<const Proposer<BucketObservation>> bucket_proposers() { return causes; }

void add_probe(BucketObservation& observation, const Stored& array, Index row, Index key) {
  constexpr Index most = 1024;
  const BucketShape& shape = observation.shape;
  const Index first = std::clamp<Index>(key - most / 2, 0, std::max<Index>(0, shape.keys - most)),
              count = std::min(most, shape.keys);
  BucketObservation::Probe probe{.query = shape.first_query + row % shape.queries,
                                 .keys = {shape.first_key + first, 1, count, 0}};
  probe.got.resize(static_cast<std::size_t>(count));
  array.read(row * shape.keys + first, count, probe.got.data());
  observation.probes.push_back(std::move(probe));
}

BucketObservation observe_buckets(const Expectation& expected, const Stored& array,
                                  const Buckets& map, BucketShape shape) {
  BucketObservation observation{
      .expected = &expected, .map = map, .shape = std::move(shape), .probes = {}};
  const BucketShape& axes = observation.shape;
  if (map.positions &&
      (axes.first_key < 0 || axes.first_key + axes.keys > *map.positions || axes.first_query < 0))
    throw UsageError(
        fmt::format("{} has keys at positions {} to {}, and this encoding has {} positions",
                    array.shown, axes.first_key, axes.first_key + axes.keys - 1, *map.positions));
  constexpr Index some = 12;
  for (Index i = 0; i < std::min(axes.queries, some); ++i) {
    const Index row = axes.queries <= some ? i : i * (axes.queries - 1) / (some - 1);
    for (const Index key : {Index{0}, axes.first_query + row - axes.first_key, axes.keys - 1}) {
      add_probe(observation, array, row, key);
      if (axes.keys <= 1024) break;
    }
  }
  return observation;
}

Tally bucket_pass(const BucketObservation& observation, const Stored& array,
                  const BucketHypothesis& hypothesis) {
  const BucketShape& shape = observation.shape;
  Tally residuals(DType::i64);
  const Index piece = std::min<Index>(shape.keys, Index{1} << 16);
  std::vector<double> got(static_cast<std::size_t>(piece)), truth(got.size());
  const std::vector<double> bound(got.size(), 0.5);
  // A row's buckets are a part of one line where the offset alone decides.
  const bool by_offset =
      hypothesis.map.by_offset && shape.queries > 1 && shape.queries + shape.keys < Index{1} << 22;
  const std::int64_t first_offset = shape.first_key - (shape.first_query + shape.queries - 1);
  std::vector<double> line;
  if (by_offset)
    for (Index k = 0; k < shape.queries + shape.keys - 1; ++k)
      line.push_back(
          observation.bucket(hypothesis, shape.first_query, shape.first_query + first_offset + k));
  for (Index row = 0; row < shape.times * shape.queries; ++row) {
    const std::int64_t query = shape.first_query + row % shape.queries;
    for (Index first = 0; first < shape.keys; first += piece) {
      const Index count = std::min(piece, shape.keys - first);
      const std::int64_t key = shape.first_key + first;
      array.read(row * shape.keys + first, count, got.data());
      const double* values = truth.data();
      if (by_offset)
        values = line.data() + (key - query - first_offset);
      else
        for (Index k = 0; k < count; ++k)
          truth[static_cast<std::size_t>(k)] = observation.bucket(hypothesis, query, key + k);
      residuals.add({got.data(), values, values, bound.data(), count, key - query, 1, first}, row);
    }
  }
  return residuals;
}

}  // namespace pe
