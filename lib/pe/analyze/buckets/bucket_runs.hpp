// Which distances share a bucket.
#pragma once

#include <string>
#include <vector>

#include "pe/model/buckets.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

struct BucketRun {
  double first, last;  // distances; NaN: the bucket is never used
  double width = 0;    // relative positions
  double pairs = 0;    // of query and key in a sequence
  std::string side = "never used";
};

/// Whether keys after the query are masked, or are all the same to the buckets.
bool one_way(const Subject& subject);

/// A run for each bucket, of a sequence of `length` positions.
std::vector<BucketRun> bucket_runs(const Buckets& buckets, bool one_way, Index length);

/// The bucket of a relative position, away from a [CLS] token.
Index offset_bucket(const Buckets& buckets, std::int64_t offset);
/// The bucket of a difference of rows and columns in a window, key minus query.
Index window_bucket(const Buckets& buckets, Index rows, Index columns);

}  // namespace pe
