// Index maps: which row of a table of biases or vectors a (query, key) pair reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pe/base/dtype.hpp"

namespace pe {

/// A total map (query, key) → 0 … count−1. Positions are whole; relative positions are key − query.
struct Buckets {
  Index count = 0;
  std::int64_t saturation =
      0;  // from this distance on, the bucket no longer changes; 0: it never stops
  std::function<Index(std::int64_t query, std::int64_t key)> of;
  bool by_offset = true;                // false: it looks at the places themselves (windows, [CLS])
  std::optional<Index> positions = {};  // positions 0 … positions−1 exist; none: all do
};

/// clip(key − query, −K, K) + K, 2K+1 buckets (Shaw et al. 2018, §3.2).
Buckets clipped_buckets(Index max_distance);

/// T5's logarithmic buckets, decided in exact integer arithmetic (Raffel et al. 2020, §2.1;
/// `_relative_position_bucket`). Distances below max_exact = n/2 have a bucket each; from there to
/// max_distance the n/2 others grow by a constant ratio: bucket max_exact + t starts at the least
/// distance m with (m/max_exact)^n' ≥ (max_distance/max_exact)^t, n' = n − max_exact. Bidirectional
/// halves n and gives keys after the query the upper half; causal puts every key after the query in
/// bucket 0.
Buckets t5_buckets(Index num_buckets, std::int64_t max_distance, bool bidirectional);

/// DeBERTa's index of offset i − j (i the query), decided in exact integer arithmetic: clamp(b(i −
/// j) + span, 0, 2·span − 1) (He et al. 2021, arXiv:2006.03654, eq. 3). With num_buckets (v2:
/// `make_log_bucket_position`) span = num_buckets, distances up to mid = num_buckets/2 have an
/// index each and |b| = mid + ⌈ln(m/mid)/ln((max_position−1)/mid)·(mid−1)⌉ beyond: |b| ≤ mid + t as
/// long as m^(mid−1)·mid^t ≤ (max_position−1)^t·mid^(mid−1). With num_buckets = 0 (v1) b is the
/// offset and span = max_position. `reversed` takes δ(j, i), the offset's other sign, as eq. 4 of
/// the paper does for its position-to-content term.
Buckets deberta_buckets(Index num_buckets, std::int64_t max_position, bool reversed = false);

}  // namespace pe
