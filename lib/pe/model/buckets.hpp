// Index maps: which row of a table of biases or vectors a (query, key) pair reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pe/base/dtype.hpp"

namespace pe {

/// What decides a map of buckets, as data: a map that is wrong is one field otherwise. d is
/// sign·(key − query + moved), drawn `later` distances towards 0; of `folded` ±1 that times |d|.
struct BucketRule {
  enum class Scale {
    clipped,  // clip(d, −lower, upper) + centre
    t5,       // t5_buckets
    deberta,  // deberta_buckets with num_buckets above 0
    window    // window_buckets
  };
  /// How a distance's place between two boundaries, a logarithm, becomes a bucket.
  enum class Rounding { down, up, nearest, below /* the least whole number not reached */, above };

  Scale scale = Scale::clipped;
  int sign = 1;
  std::int64_t lower = 0, upper = 0, centre = 0;  // clipped
  Index count = 0;                                // t5, deberta: num_buckets
  std::int64_t farthest = 0;                      // t5, deberta: distance at which they end
  bool both = true;                       // t5: keys after the query have buckets of their own
  bool own_is_later = false;              // t5: and the query's own key is one of them
  std::optional<Rounding> rounding = {};  // none: down for t5, up for deberta, in exact integers
  std::vector<std::int64_t> starts = {};  // t5, deberta: where buckets beyond those of one distance
                                          // start, if not by the rule
  bool clamped = true;                    // clipped, t5, deberta: to the table's ends
  Index height = 0, width = 0;            // window
  bool columns_first = false;             // window: the difference of columns is multiplied
  bool cls = false;                       // query 0 and key 0 have buckets of their own
  int later = 0;
  std::int64_t moved = 0;
  int folded = 0;   // the offset's sign is lost
  Index added = 0;  // to every bucket, which stays in 0 … count−1
};

/// A total map (query, key) → 0 … count−1, and to any number where its rule is not clamped.
/// Positions are whole; relative positions are key − query.
struct Buckets {
  Index count = 0;
  std::int64_t saturation =
      0;  // from this distance on, the bucket no longer changes; 0: it never stops
  std::function<Index(std::int64_t query, std::int64_t key)> of;
  bool by_offset = true;                // false: it looks at the places themselves (windows, [CLS])
  std::optional<Index> positions = {};  // positions 0 … positions−1 exist; none: all do
  std::optional<BucketRule> rule = {};  // that made it
};

/// Throws UsageError where the numbers make no buckets.
Buckets make_buckets(const BucketRule& rule);

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

/// clip(query − key, −M or 0, M): distances, of both signs or of one (Transformer-XL, XLNet).
Buckets distance_buckets(std::int64_t farthest, bool both);

/// (Δh + H − 1)(2W − 1) + (Δw + W − 1), Δ = query − key, in row-major positions (Liu et al. 2021,
/// `relative_position_index`). With [CLS] at position 0 the last three entries are cls→token,
/// token→cls and cls→cls (BEiT).
Buckets window_buckets(Index height, Index width, bool cls);

/// t5_buckets of both directions with two more for [CLS] at position 0: the one that T5 never uses
/// for [CLS] to others, and one behind for others to [CLS] (TUPE's code).
Buckets t5_cls_buckets(Index num_buckets, std::int64_t max_distance);

}  // namespace pe
