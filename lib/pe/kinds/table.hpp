// Table: x_i ⊕ P(i), a vector for each position.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pe/base/work.hpp"
#include "pe/kinds/wave_parts.hpp"
#include "pe/model/tokens.hpp"

namespace pe {

/// Each row is solved for from the one before it.
struct SlopeWork {
  double slopes = 0;      // of a row, about
  double operations = 0;  // of a slope
  std::string smaller;    // the sizes that make those less: "a smaller --dim"
  double roundings = 0;   // of the largest number that meets a channel, from each row to the next
  double tolerance = 0;   // what the solver may add, as a share of the same
  Index meeting = 0;      // so many neighbouring channels meet in a step; 0: all of them
};

/// Slopes that rk4 or euler takes for a row by so many equal steps, dopri5 by as many as it needs,
/// about, and a recursion.
double slopes_of(std::string_view solver, double steps);

/// Rows 0 to `last`, by so many slopes each.
Work work_of(const SlopeWork& solving, double last);

/// Equality: equal values.
struct Table {
  Index width = 0;
  std::optional<Index> rows;  // positions 0 … rows−1 exist; none: every position does
  std::optional<std::pair<double, double>> range;  // what every value is promised to lie in
  /// Rows of `width` elements at out, one for each position, rounded once to the dtype.
  /// Thread-safe.
  std::function<void(const PositionRange&, DType, std::byte*)> fill;
  /// The waves that the rows are made of and where they stand, when they are: M_k is known then.
  std::optional<std::pair<Waves, WaveLayout>> waves{};
  std::optional<Coordinates> grid{};  // what the positions are cells of, when they are
  std::vector<WavePart>
      parts{};  // the waves along the axes of the grid, where rows are made of those
  std::vector<WavePart> whole_pairs{};  // of a cut table: the parts that have both of their sides
  Tokens tokens{};  // what stands beside the rows in a model; among_tokens() makes rows of them
  std::optional<SlopeWork> solving{};  // where a row costs more than its cells
  std::string beyond{};  // what to do about a position that does not exist, for the error message
  /// The Euclidean distance of each row from the one it should be, for a table that is integrated
  /// and whose solution is known.
  std::function<void(const PositionRange&, double*)> drift{};
};

/// A table made of waves.
Table wave_table(const Waves& waves, const WaveLayout& layout);

/// A table whose rows are made of waves along the axes of a grid.
Table grid_table(std::vector<WavePart> parts, Coordinates grid);

/// The first `width` columns of a wider table; its waves are forgotten, but for those whose both
/// sides are left.
Table first_columns(const Table& table, Index width);

}  // namespace pe
