// Bias: s(h,i,j) += B(h,i,j), a number for each head, query and key.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/real.hpp"
#include "pe/model/buckets.hpp"
#include "pe/model/field.hpp"
#include "pe/model/position.hpp"

namespace pe {

/// Numbers that a bias is made of, known at set-up, one for each index along an axis; each series
/// is a field.
struct Series {
  std::string name;
  Axis axis;
  std::vector<Real> values;
};

/// Equality: equal up to a constant for each query row, which softmax cannot see.
struct Bias {
  Index heads = 0;
  bool causal = false;  // keys after the query are masked (−inf)
  bool scaled = true;   // scores are divided by √channels before the bias is added (T5's are not)
  std::vector<Real> slopes;        // ALiBi: one for each head, else empty
  std::optional<Buckets> buckets;  // T5: the bias is a table's entry at the pair's bucket
  /// The values of one head and query at a run of keys, rounded once to the dtype. Absent when the
  /// numbers are trained and were not given.
  std::function<void(Index head, std::int64_t query, const PositionRange& keys, DType,
                     std::byte* out)>
      fill;
  std::vector<Series> series = {};
  /// The number that the bias of a pair is a function of, where it is not the distance: FIRE's
  /// normalised distance.
  std::function<Real(std::int64_t query, std::int64_t key)> argument = {};
  std::optional<Index> rows = {};  // positions 0 … rows−1 exist; none: every position does
  Index window_width = 0;  // position p stands at row p / width and column p % width; 0: on a line
  int scaled_terms = 1;  // the content scores are divided by √(channels · scaled_terms): TUPE 2
};

/// Throws UsageError for positions beyond a bias's rows, naming the first of them.
void check_rows(const Bias& bias, const PositionRange& positions);

/// The exact biases at distances first … first+count−1 for every head, [head, count], each rounded
/// to odd (twofold.hpp), so that rounding once more to any dtype of at most 51 bits is correct.
using DistanceValues = std::function<void(std::int64_t first, Index count, double* out)>;

/// A bias of head and |query − key| alone. Values are made in blocks and kept, so that a matrix
/// costs one evaluation for each distance.
Bias distance_bias(Index heads, bool causal, DistanceValues values);

}  // namespace pe
