// Content: queries, keys, values or embeddings, by batch, head, position and channel whatever order
// their file has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pe/base/array.hpp"
#include "pe/base/counted.hpp"
#include "pe/model/positions.hpp"

namespace pe {

/// A tensor in f64. Axes that its file does not have count 1.
struct Content {
  std::string name;  // q, k, v, x
  std::string axes;  // the file's order, outermost first: letters b (batch), h (head), s
                     // (position), d (channel)
  Index batch = 1, heads = 1, length = 0, channels = 0;
  CountedNumbers values;  // C order [batch, head, position, channel]

  const double* row(Index b, Index h, Index s) const {
    return values.data() + ((b * heads + h) * length + s) * channels;
  }
  double* row(Index b, Index h, Index s) {
    return values.data() + ((b * heads + h) * length + s) * channels;
  }
  Index extent(char letter) const;
  /// What one step along an axis is worth in `values`.
  Index stride(char letter) const;
  /// "q (2 x 8 x 16 x 64, axes bhsd)": how messages name it.
  std::string spell() const;
};

/// The axes of a tensor of this rank when nobody says: sd, hsd, bhsd.
std::string usual_axes(Index rank);

/// The array as content; throws UsageError when its rank is not that of `axes`, when an axis is
/// empty, or, unless allowed, at the first NaN or infinity, naming its index. What it takes, and
/// what is made of it, is taken of the budget, if there is one: FileError where there is no room.
Content read_content(std::string name, const Array& array, std::string axes, bool allow_nonfinite,
                     std::shared_ptr<Budget> budget = budget_here());

/// Standard normal numbers that depend on the seed, the name and the place [b, h, s, d] alone,
/// rounded to `dtype`, so that what is written is what was used.
Content random_content(std::string name, const std::vector<Index>& batch_head_position_channel,
                       std::string axes, std::uint64_t seed, DType dtype);

/// The longest row of one batch, over all heads, and of an array's last axis (0 for none).
double largest_norm(const Content& content, Index batch);
double largest_norm(const Array& rows);

/// Throws UsageError, naming `option`, unless there is a position for each row.
void check_count(const Content& content, const Positions& positions, const char* option);

}  // namespace pe
