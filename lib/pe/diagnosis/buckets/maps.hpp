// Maps of buckets that lie near an expected one: its rule with one field otherwise.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

enum class BucketFault { direction, max_distance, count, boundary, offset, axes };

struct BucketMap {
  Buckets buckets;
  std::string sentence;
  double cost = 1;
  Given changes = {};  // the same as a parameter of the encoding, where it is one
};

/// Above 0 where a map's buckets are all in all lower than those observed, below 0 where they are
/// higher.
using BucketBalance = std::function<double(const Buckets&)>;

/// Maps that a fault makes of `from`. `farthest`: distance that was observed.
std::vector<BucketMap> bucket_maps(const Expectation& expected, const Buckets& from,
                                   BucketFault fault, const BucketBalance& balance = {},
                                   std::int64_t farthest = 1 << 20);

/// The bias with its weights behind another map.
Bias with_buckets(const Bias& bias, const Buckets& buckets, Index farthest);

/// The map of a bias or of a relative encoding; none where it has none.
std::optional<Buckets> buckets_of(const Effect& effect);

}  // namespace pe
