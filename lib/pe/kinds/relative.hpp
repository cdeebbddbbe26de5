// Relative: s(i,j) += Σ content · r(b(i,j)), a trained or fixed vector for each bucket of a pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pe/base/array.hpp"
#include "pe/kinds/table.hpp"
#include "pe/model/buckets.hpp"

namespace pe {

/// One summand of the score beside q_i · k_j: the product of a left and a right vector, for head h.
struct RelativeTerm {
  enum class Left {
    query /* q_i */,
    key /* k_j */,
    fixed /* fixed[h], such as Transformer-XL's u and v */
  };
  enum class Right { key /* k_j */, table /* table[b(i,j)] */ };

  std::string name;  // content_position, position_content, …
  Left left = Left::query;
  Right right = Right::table;
  Array fixed;      // [head, channel]
  Array table;      // [bucket, channel], shared by the heads, or [head, bucket, channel]
  Buckets buckets;  // which row of the table a (query, key) pair reads
};

/// Equality: equal up to a renaming of buckets.
struct Relative {
  Buckets buckets;                  // of the first table
  Index channels = 0;               // of a head's vectors; 0: not known until tables are given
  std::vector<RelativeTerm> terms;  // empty when the vectors are trained and were not given
  std::optional<Array> values;  // [bucket, channel]: added to values in the output, at `buckets`
  int scaled_terms = 1;         // scores are divided by √(channels · scaled_terms)
  bool causal = false;          // keys after the query are masked
  /// The first table before any projection, where it is made of sinusoids: bucket b's row stands at
  /// position b + first_sinusoid.
  std::optional<Table> sinusoids = {};
  std::int64_t first_sinusoid = 0;
};

}  // namespace pe
