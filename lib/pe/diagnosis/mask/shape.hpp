// The shape of a mask: where the hidden cells of a matrix stand.
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/base/stored.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/mask/levels.hpp"

namespace pe {

/// Which pairs of one matrix are hidden: the union of whole rows and columns at its ends (padding),
/// of whole columns between (padding within a sequence), of a side of the diagonal (causal), of
/// what lies beyond a window, and of pairs in different blocks (documents, chunks, shifted
/// windows).
struct MaskShape {
  Index rows_before = 0, rows_from = std::numeric_limits<Index>::max();
  Index keys_before = 0, keys_from = std::numeric_limits<Index>::max();
  std::vector<char> key_hidden;  // of each key, whether no query sees it; empty: none
  std::int64_t past = std::numeric_limits<std::int64_t>::min();    // key − query below it
  std::int64_t future = std::numeric_limits<std::int64_t>::max();  // key − query above it
  Index sinks = 0;           // the first keys, which `past` does not hide
  Index prefix = 0;          // the first keys, which `future` does not hide
  std::vector<Index> block;  // of each key; empty: one

  bool hides(const ScoreAxes& axes, Index query, Index key) const;
  bool is_causal() const { return future == 0 && prefix <= 1; }
  bool hides_key(Index key) const {
    return key < keys_before || key >= keys_from ||
           (!key_hidden.empty() && key_hidden[static_cast<std::size_t>(key)] != 0);
  }
  bool empty() const;
};

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
