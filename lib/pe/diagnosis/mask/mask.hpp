// Mask: which cells of a dump of scores are hidden, by the numbers that they hold and by where they
// stand. The one definition of it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "pe/diagnosis/mask/shape.hpp"

namespace pe {

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
  /// Whether every query sees keys before it, and not its own.
  bool hides_own() const;
  /// A head, and one before it of the same batch that hides other cells; nothing where all heads
  /// hide the same.
  std::optional<std::pair<Index, Index>> heads_that_differ() const;
  /// Whether tokens see themselves and no other, in every plane: nothing of a bias is left.
  bool isolates() const;
  /// Whether no query sees more than one key in any plane, which may be one that all of them see:
  /// softmax takes any number there.
  bool leaves_one_key() const;
  /// How far after its query a key is still seen in some plane, where those beyond it are hidden.
  std::optional<std::int64_t> opens_future() const;

 private:
  template <typename Is>
  bool all_shapes(Is is) const;

  ScoreAxes axes_;
  MaskLevels levels_;
  std::vector<MaskShape> shapes_;   // of those that differ
  std::vector<std::size_t> which_;  // of each plane
};

}  // namespace pe
