// Shapes read from the right: keys, queries, heads, batches.
#include "pe/diagnosis/axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/io/axes.hpp"

namespace pe {
namespace {

// Of each head its weights are held, some tens of numbers: 16 MiB of so many. Models have hundreds.
constexpr Index most_heads = Index{1} << 16;

}  // namespace

std::optional<ScoreAxes> score_axes(const std::vector<Index>& shape, Index heads) {
  if (shape.empty() || std::ranges::find(shape, 0) != shape.end()) return {};
  if (shape.back() > most_keys) return {};
  ScoreAxes axes;
  axes.keys = shape.back();
  const std::size_t rank = shape.size();
  if (rank == 1) return heads <= 1 ? std::optional(axes) : std::nullopt;
  if (rank == 2 && heads > 1 && shape[0] == heads && shape[1] != heads) {
    axes.heads = heads;
    return axes;
  }
  axes.queries = shape[rank - 2];
  if (rank == 2) return axes;
  axes.heads = shape[rank - 3];
  for (std::size_t axis = 0; axis + 3 < rank; ++axis) axes.batch *= shape[axis];
  if (rank == 3 && heads > 0 && axes.heads > heads && axes.heads % heads == 0) {
    axes.batch = axes.heads / heads;
    axes.heads = heads;
  }
  if (axes.heads > most_heads) return {};
  return axes;
}

void refuse_long_rows(const Stored& array) {
  if (!array.shape.empty() && array.shape.back() > most_keys)
    throw FileError(fmt::format(
        "{} is too large for scores: a row of it, {} keys, must be held in memory whole, and {} "
        "are the most that may be",
        array.shown, array.shape.back(), most_keys));
}

void refuse_long_rows(const std::vector<Stored>& arrays) {
  for (const Stored& array : arrays) {
    const std::vector<Index> shape = squeezed(array.shape);
    if (shape.size() < 2) continue;
    const bool has_parts = shape.size() > 2 && shape.back() == 2;
    const Index row = has_parts ? shape.end()[-2] : shape.back();
    if (row > most_keys)
      throw FileError(fmt::format(
          "{} [{}] is too large: a row of it, {} numbers, must be held in memory whole, and {} are "
          "the most that may be",
          array.shown, spell_shape(array.shape), row, most_keys));
  }
}

void refuse_empty(const std::vector<Stored>& arrays) {
  for (const Stored& array : arrays)
    if (array.size() == 0)
      throw UsageError(
          fmt::format("{} is empty: its shape is {}", array.shown, spell_shape(array.shape)));
}

void place(ScoreAxes& axes, std::int64_t first) {
  // One row of offsets of both signs: keys about a query at 0.
  if (axes.queries == 1 && first < 0 && first + axes.keys > 1) {
    axes.first_query = 0;
    axes.first_key = first;
    return;
  }
  axes.first_query = first != 0 ? first : axes.keys - axes.queries;
  // A cache that is longer than the sequence has keys behind the last query; a rolling one begins
  // behind position 0.
  axes.first_key = std::max<std::int64_t>(axes.first_query + axes.queries - axes.keys,
                                          std::min<std::int64_t>(axes.first_query, 0));
}

std::string spell_misaligned(Index queries, Index keys) {
  return queries == 1
             ? fmt::format("the query is aligned to the first of the {} keys, where it is the last",
                           keys)
             : fmt::format(
                   "the {} queries are aligned to the first of the {} keys, where they are the "
                   "last",
                   queries, keys);
}

bool names_coordinates(std::string_view name) {
  return io::is_place(name) || name == "positions" || name == "token" || name == "channel";
}

}  // namespace pe
