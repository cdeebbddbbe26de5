// Maps of buckets that lie near an expected one: its rule with one field otherwise.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

enum class BucketFault { direction, max_distance, count, boundary, offset, axes, signs };

struct BucketMap {
  Buckets buckets;
  std::string sentence;
  double cost = 1;
  Settings changes = {};  // the same as a parameter of the encoding, where it is one
};

/// Above 0 where a map's buckets are all in all lower than those observed, below 0 where they are
/// higher.
using BucketBalance = std::function<double(const Buckets&)>;

/// What a dump shows of its map without knowing it.
struct BucketEvidence {
  std::int64_t farthest = 1 << 20;  // distance that was observed
  BucketBalance balance = {};
  std::vector<std::int64_t> changes = {};  // distances to earlier keys that begin another bucket
  std::vector<std::int64_t> moves = {};    // by which key − query may be more than is meant
};

/// By how much key − query may be more than it is meant to be, where the numbers of one query show
/// it; the likeliest first. `has(i, offset)`: whether its i-th key holds what is meant of the
/// offset.
std::vector<std::int64_t> moves_along(std::int64_t query, std::int64_t first_key, Index keys,
                                      const std::function<bool(Index i, std::int64_t offset)>& has);

/// The distances at which the values of one query change, from its nearest key to the first.
std::vector<std::int64_t> changes_along(std::int64_t query, std::int64_t first_key,
                                        std::span<const double> values);

/// The same for a dump of biases, whose buckets show by where they change alone: how many changes
/// lie within each distance, against the map's.
BucketBalance balance_of(std::vector<std::int64_t> changes, std::int64_t farthest);

/// Maps that a fault makes of `from`.
std::vector<BucketMap> bucket_maps(const Expectation& expected, const Buckets& from,
                                   BucketFault fault, const BucketEvidence& evidence);

/// The bias with its weights behind another map. `unread(head, bucket, query, key)`: the weight of
/// a bucket that the map that is meant never reads, and the other one does for the pair.
using UnreadWeight =
    std::function<double(Index head, Index bucket, std::int64_t query, std::int64_t key)>;
Bias with_buckets(const Bias& bias, const Buckets& buckets, Index farthest,
                  const UnreadWeight& unread);

/// The map of a bias or of a relative encoding; none where it has none.
std::optional<Buckets> buckets_of(const Effect& effect);

/// Maps of a fault that no field of a rule says.
std::vector<BucketMap> unruled_maps(const BucketRule& rule, BucketFault fault);

/// The same of a window: strides, axes and signs of its index.
std::vector<BucketMap> window_maps(const BucketRule& rule, BucketFault fault);

}  // namespace pe
