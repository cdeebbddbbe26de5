// Index matrices as dumps hold them: what may have made one, and how well that agrees with what was
// observed.
#pragma once

#include <string>
#include <vector>

#include "pe/diagnosis/bucket_maps.hpp"
#include "pe/diagnosis/score_tally.hpp"

namespace pe {

// A dump's axes: times × [query, key]. By offset: one row, as if query 0 saw keys at −(S−1) … S−1.
struct BucketShape {
  Index times = 1, queries = 1, keys = 1;
  std::int64_t first_query = 0, first_key = 0;
  std::string layout, sentence;
};

/// The axes that an array of buckets may have. Throws UsageError where it has none.
std::vector<BucketShape> bucket_shapes(const Expectation& expected, const Stored& array);

struct BucketStory {
  Buckets map;
  Given changes = {};
  bool transposed = false;
  std::int64_t query_shift = 0, added = 0;
  Index swapped_width = 0;  // columns of the window, where rows and columns have changed places
};

struct BucketWorld {
  using Story = BucketStory;
  struct Probe {
    std::int64_t query = 0;
    PositionRange keys = {};
    std::vector<double> got = {};
  };

  const Expectation* expected = nullptr;
  Buckets map;
  Index window_width = 0;
  BucketShape shape;
  std::vector<Probe> probes;

  double bucket(const BucketStory& story, std::int64_t query, std::int64_t key) const;
  Fit measure(const BucketStory& story) const;
  bool agrees(const BucketStory& story) const;
};

std::span<const Cause<BucketWorld>> bucket_world_causes();

/// The world that a dump of these axes is, its probes read.
BucketWorld bucket_world(const Expectation& expected, const Stored& array, const Buckets& map,
                         BucketShape shape);
/// A row more to look at, around a key.
void add_probe(BucketWorld& world, const Stored& array, Index row, Index key);

/// Every cell against a story.
Tally bucket_pass(const BucketWorld& world, const Stored& array, const BucketStory& story);

}  // namespace pe
