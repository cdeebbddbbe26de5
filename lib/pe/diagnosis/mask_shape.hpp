// The shape of a mask, from the cells of one matrix that hold it.
#pragma once

#include <map>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/mask.hpp"

namespace pe {

/// One matrix of a dump, as which of its cells hold a mask.
class MaskedPlane {
 public:
  MaskedPlane(Kept<Stored> array, Kept<ScoreAxes> axes, Kept<MaskLevels> levels, Index number)
      : array_(array), axes_(axes), levels_(levels), number_(number) {}

  const ScoreAxes& axes() const { return axes_; }
  /// Whether each cell of a row holds a mask; rows are read once.
  const std::vector<char>& row(Index query);
  bool is_full(Index query);
  /// All rows of few, else those at both ends and some between.
  std::vector<Index> sample() const;
  /// Cells of these rows that a shape has otherwise.
  Index contradictions(const MaskShape& shape, const std::vector<Index>& queries);
  /// None in a few rows.
  bool agrees_at_a_glance(const MaskShape& shape);

 private:
  const Stored& array_;
  const ScoreAxes& axes_;
  const MaskLevels& levels_;
  Index number_;
  std::map<Index, std::vector<char>> rows_;
};

/// Every shape that masks have is tried, and the one that the fewest cells contradict is taken, if
/// these are few; else the empty one.
MaskShape mask_shape_of(MaskedPlane& plane);

}  // namespace pe
