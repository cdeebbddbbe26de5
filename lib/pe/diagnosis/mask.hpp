// Mask: which cells of a dump of scores are hidden, by the numbers that they hold and by where they
// stand. The one definition of it.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pe/base/stored.hpp"
#include "pe/diagnosis/axes.hpp"

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

/// Which pairs of one matrix are hidden: the union of whole rows and columns at its ends (padding),
/// of a side of the diagonal (causal), of what lies beyond a window, and of pairs in different
/// blocks (documents, chunks, shifted windows).
struct MaskShape {
  Index rows_before = 0, rows_from = std::numeric_limits<Index>::max();
  Index keys_before = 0, keys_from = std::numeric_limits<Index>::max();
  std::int64_t past = std::numeric_limits<std::int64_t>::min();    // key − query below it
  std::int64_t future = std::numeric_limits<std::int64_t>::max();  // key − query above it
  Index sinks = 0;           // the first keys, which `past` does not hide
  Index prefix = 0;          // the first keys, which `future` does not hide
  std::vector<Index> block;  // of each key; empty: one

  bool hides(const ScoreAxes& axes, Index query, Index key) const;
  bool is_causal() const { return future == 0 && prefix <= 1; }
  bool empty() const;
};

/// The mask of a dump of scores.
class DumpMask {
 public:
  DumpMask() = default;
  DumpMask(const Stored& array, const ScoreAxes& axes);

  bool holds(double value) const { return levels_.holds(value); }
  const MaskShape& shape(Index plane) const;
  /// Indices, not positions.
  bool hides(Index plane, Index query, Index key) const {
    const MaskShape& own = shape(plane);
    return !own.empty() && own.hides(axes_, query, key);
  }
  bool any() const;
  /// Keys after their query are hidden in every plane.
  bool is_causal() const;
  /// How far after its query a key is still seen in some plane, where those beyond it are hidden.
  std::optional<std::int64_t> opens_future() const;

 private:
  ScoreAxes axes_;
  MaskLevels levels_;
  std::vector<MaskShape> shapes_;   // of those that differ
  std::vector<std::size_t> which_;  // of each plane
};

}  // namespace pe
