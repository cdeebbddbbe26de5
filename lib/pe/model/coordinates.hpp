// Coordinates: where each flat position stands along each of several axes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/model/position.hpp"

namespace pe {

/// A grid counts its cells in row-major order, frame by frame, row by row. Other maps (text between
/// images) have no extents.
struct Coordinates {
  std::vector<std::string> axes;  // outermost first: frame, row, column
  std::vector<Index> extents;     // of a grid in row-major order; else empty
  std::optional<Index> count;     // flat positions 0 … count−1 exist; none: every one from 0 on
  /// Null where some positions are those of tokens that stand nowhere.
  std::function<std::int64_t(std::int64_t flat, std::size_t axis)> at;
};

/// The cells of a grid of two or three extents: (row, column) or (frame, row, column).
Coordinates grid_coordinates(const std::vector<Index>& extents);

/// "14x14" or "8x14x14": positive extents, `rank` of them. Throws UsageError that names `option`.
std::vector<Index> parse_grid(std::string_view text, std::size_t rank, std::string_view option);

/// The product of extents.
Index cells(const std::vector<Index>& extents);

}  // namespace pe
