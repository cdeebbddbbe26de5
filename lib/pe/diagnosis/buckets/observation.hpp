// Index matrices as dumps hold them: what may have made one, and how well that agrees with what was
// observed.
#pragma once

#include <string>
#include <vector>

#include "pe/diagnosis/buckets/maps.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {

// A dump's axes: times × [query, key]. By offset: one row, as if query 0 saw keys at −(S−1) … S−1.
struct BucketShape {
  Index times = 1, queries = 1, keys = 1;
  std::int64_t first_query = 0, first_key = 0;
  std::string layout, sentence;
};

/// The axes that an array of buckets may have. Throws UsageError where it has none.
std::vector<BucketShape> bucket_shapes(const Expectation& expected, const Stored& array);

struct BucketHypothesis {
  Buckets map;
  bool transposed = false;
  std::int64_t query_shift = 0, added = 0;
};

struct BucketObservation {
  using Hypothesis = BucketHypothesis;
  struct Probe {
    std::int64_t query = 0;
    PositionRange keys = {};
    std::vector<double> got = {};
  };

  const Expectation* expected = nullptr;
  Buckets map;
  BucketShape shape;
  std::vector<Probe> probes;

  double bucket(const BucketHypothesis& hypothesis, std::int64_t query, std::int64_t key) const;
  Fit measure(const BucketHypothesis& hypothesis) const;
  bool agrees(const BucketHypothesis& hypothesis) const;
};

std::span<const Proposer<BucketObservation>> bucket_proposers();

/// Logarithmic buckets as they were read off the dump, near those that are meant.
std::vector<Proposal<BucketHypothesis>> offer_read_buckets(const BucketObservation& observation,
                                                           const BucketHypothesis& hypothesis);

/// The observation that a dump of these axes is, its probes read.
BucketObservation observe_buckets(const Expectation& expected, const Stored& array,
                                  const Buckets& map, BucketShape shape);
BucketObservation observe_buckets(const Expectation&&, const Stored&, const Buckets&,
                                  BucketShape) = delete;  // it is kept
/// A row more to look at, around a key.
void add_probe(BucketObservation& observation, const Stored& array, Index row, Index key);

/// Every cell against a hypothesis.
Tally bucket_pass(const BucketObservation& observation, const Stored& array,
                  const BucketHypothesis& hypothesis);

}  // namespace pe
