// Columns of a table: cosines or sines of a pair that hold something else in every row, and what.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pe/diagnosis/rotations/choice.hpp"

namespace pe {

/// Wrong columns of a table, and what is said of them.
struct ColumnReport {
  std::size_t wrong = 0, all = 0;
  std::vector<Reason> reasons;
};

/// What the wrong columns of a table of turns or of angles hold, of both sides or of one, where
/// every cell of the others is right: zeros, one number, what is meant times a number, another
/// column, the turns of another place or frequency, or something else in most rows. Nothing where
/// no column is right, where only a few cells are wrong, or of vectors.
ColumnReport spoilt_columns(const ProbedDump& dump, const Attempt& attempt);

}  // namespace pe
