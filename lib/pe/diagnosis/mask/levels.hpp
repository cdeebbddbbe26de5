// Mask levels: the numbers by which a dump of scores says that a cell is hidden.
#pragma once

#include <limits>
#include <vector>

namespace pe {

/// The numbers that stand for −inf: −inf itself, and numbers far below all others, whether they
/// were stored in place of the bias or added to it. NaN never does.
struct MaskLevels {
  double below = -std::numeric_limits<double>::infinity();  // this and all below it
  std::vector<double> exactly = {};  // these alone, where other numbers lie as low

  bool holds(double value) const;
  /// From rows of a dump: numbers that are set off from the rest of their row by more than the rest
  /// spans, at −100 (Swin's) or at −900 and below, and that crowd around at most three levels (a
  /// mask, another, and both added).
  static MaskLevels of(const std::vector<std::vector<double>>& rows);
};

}  // namespace pe
