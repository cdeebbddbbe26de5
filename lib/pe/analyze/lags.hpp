// Rows of a table against each other: products and cosines by how far apart they stand.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

/// A table's rows in memory, as stored in the dtype, with their norms and where they stand.
struct Rows {
  PositionRange positions;
  Index width = 0;
  std::vector<double> values = {}, norms = {};
  double norm = 0;        // the largest
  double entry = 0;       // how far a value may be from the formula's
  Index stride = 1;       // from a position to the next along the axis that is looked at
  Index extent = 0;       // positions along it
  std::string axis = {};  // of a grid; empty: positions stand on a line
  bool turns = false;     // from row to row each pair of columns turns by an angle of its own, so
                          // that products and distances depend on how far two rows stand apart

  const double* row(Index i) const { return &values[static_cast<std::size_t>(i * width)]; }
  /// Absolute errors of a product of two rows and of its cosine.
  double product_error() const;
  double cosine_error() const;
  /// The first two rows so far apart, and the last two.
  std::array<std::array<const double*, 2>, 2> outermost(Index apart) const {
    const Index last = positions.count - 1;
    return {{{row(0), row(apart)}, {row(last - apart), row(last)}}};
  }
};

/// The effect as a table: of a rotation the rows are its cosines, then its sines, as it stores
/// them, so that a product of two is A² times the sum of cos((p − q)θ).
Table as_table(const Effect& effect);

/// The rows that a table is asked for: all that exist at the positions. Of a grid `axis` names what
/// lags run along (default: its first). `before` sees how many and how wide they are before they
/// are made. Throws UsageError where they are too many to hold, or where one is no number.
Rows rows_in_memory(const Question& question, const std::string& asker,
                    const std::function<void(const Rows&)>& before = {});

/// One statistic for each chosen lag.
struct LagStatistics {
  std::vector<double> mean, least, most, deviation;
};

/// Of products of all rows that stand so far apart, and of their cosines, where both have a
/// direction.
struct Lags {
  LagStatistics product, cosine;
};
Lags lags_of(const Question& question, const Rows& rows, const std::vector<Index>& chosen);

/// Throws UsageError where that takes far longer than it may.
void begin_lags(const Question& question, const Rows& rows, const std::vector<Index>& chosen);

}  // namespace pe
