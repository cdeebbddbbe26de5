// Column order: a table whose columns are those meant, each in another's place.
#pragma once

#include <cstddef>
#include <optional>

#include "pe/diagnosis/rotations/choice.hpp"

namespace pe {

/// How the columns of a table stand, and how many of them elsewhere: none counted of an order that
/// one operation makes.
struct ColumnOrderFit {
  Reason reason;
  std::size_t moved = 0;
};

/// How the columns of a table of cosines and sines stand, where each holds what is meant in another
/// one, no two the same, in every row: moved on, by strides, else listed. Nothing where they stand
/// as they should, where one holds something else, or of vectors and angles.
std::optional<ColumnOrderFit> column_order(const ProbedDump& dump, const Attempt& attempt);

}  // namespace pe
