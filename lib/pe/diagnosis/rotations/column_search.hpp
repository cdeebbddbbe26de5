// Column search: what each wrong column of a table holds.
#pragma once

#include <cstddef>
#include <vector>

#include "pe/diagnosis/rotations/choice.hpp"

namespace pe {

/// Cosines or sines of a pair.
struct PairSide {
  std::size_t pair = 0;
  bool sine = false;
  bool operator==(const PairSide&) const = default;
};

/// What a column holds: a·cos + b·sin of its pair's angle, `a` in every row, what another column
/// should hold, its own side of the angle by `a` radians per position, known to `b`, or whatever.
struct ColumnSource {
  enum class Kind { mixed, constant, other, frequency, anything } kind = Kind::mixed;
  double a = 0, b = 0;
  PairSide from = {};
};

/// A column that is not as it is meant.
struct ColumnFault {
  PairSide column;
  ColumnSource source;
  double frequency = 0;  // that is meant
};

/// The wrong columns of a table, each told from the probes and held against every row; empty where
/// none is, where every pair has one, where one is wrong in a few rows alone, or where what they
/// hold would excuse them rather than explain them.
std::vector<ColumnFault> column_faults(const ProbedDump& dump, const Attempt& attempt);

}  // namespace pe
