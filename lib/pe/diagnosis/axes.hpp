// Axes: what the axes of an array of scores are, and which arrays of a file name places only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/stored.hpp"

namespace pe {

/// Keys of one row of scores, which is held whole: a million, the longest context that anybody has,
/// and some ten numbers for each.
inline constexpr Index most_keys = Index{1} << 20;
/// FileError where a row has more.
void refuse_long_rows(const Stored& array);
/// The same of arrays whose rows may be channels, or pairs and the two parts of each: asked before
/// anything reads a row. What lies along one axis alone is read in parts.
void refuse_long_rows(const std::vector<Stored>& arrays);
/// UsageError where one of these has no numbers.
void refuse_empty(const std::vector<Stored>& arrays);

/// [batch, head, query, key] of an array that has one number for each pair of a query and a key.
struct ScoreAxes {
  Index batch = 1, heads = 1, queries = 1, keys = 1;
  std::int64_t first_query = 0, first_key = 0;  // positions

  Index planes() const { return batch * heads; }
  Index rows() const { return planes() * queries; }
  std::int64_t last_key() const { return first_key + keys - 1; }
};

/// The axes that a shape has, where the encoding has `heads` of them (0: nobody knows). The last
/// two are queries and keys, an axis of one as well; what stands before four axes are batches, and
/// three are [batch·head, query, key] where the first is a multiple of the heads. Two are
/// [head, key] where the first is the number of heads and the second is not. None: no scores.
/// Of more keys than a row may have, which is held in memory whole, none are told.
std::optional<ScoreAxes> score_axes(const std::vector<Index>& shape, Index heads);

/// Where the queries and the keys stand: at `first` where the caller says so (not 0), else the
/// queries are the last of the keys. One row from a negative position to one above 0 is a bias by
/// offset, key less query.
void place(ScoreAxes& axes, std::int64_t first);

/// "the 4 queries are aligned to the first of the 9 keys, where they are the last".
std::string spell_misaligned(Index queries, Index keys);

/// An array of this name holds the coordinates of an axis: position, head, query, …
bool names_coordinates(std::string_view name);

}  // namespace pe
