// What is no grid, known by how its rows move on, before any convention is tried.
#pragma once

#include <functional>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Extents: frames where there are three, rows, columns.
using Grid = std::vector<Index>;

/// Whether rows may be turns, one side of them or both, or angles along few axes: rows of both
/// sides are as long as one another, no number of one side is far beyond 1, and all rows of angles
/// are sums of as many as there are axes.
bool may_be_turns(const Stored& array);

class GridLikelihood {
 public:
  /// Of `rows` positions; `complex`: the last axis holds cosine and sine.
  GridLikelihood(Kept<Dump> dump, Index rows, bool complex);

  /// Whether each number of a row, or each turn of a vector, moves on with one axis alone, but for
  /// a tenth of them: from a cell to its neighbours, at some place. True where nothing is known.
  /// Patches come in blocks of `merge` squared.
  bool may_be(const Grid& grid, Index merge) const;

 private:
  using Row = std::vector<double>;
  using Reader = std::function<Row(Index row)>;

  void add_turns(const Dump& dump, Index rows);

  std::vector<Reader> readers_;  // one of them must read the rows of a grid
  double rounding_ = 0;          // of a number of size 1
  Index tokens_ = 0;             // rows that may come before the first cell
  bool is_known_ = false;
};

}  // namespace pe
