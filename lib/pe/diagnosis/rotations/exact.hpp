// Exact turns: what every cell of a run of rows is meant to be.
#pragma once

#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// The effect's own values, at the rows of an observation.
class ExactTruth {
 public:
  /// Turns of a run of rows, [row, pair] each, in double and rounded to the file's type and widened
  /// again.
  struct Rows {
    std::vector<double> cosine, sine, rounded_cosine, rounded_sine;
  };

  ExactTruth(Kept<RotationObservation> observation, Kept<Effect> effect);
  void fill(Index first, Index count, Rows& exact) const;
  /// The columns of a table that no pair has, [row, column]: correctly rounded to the file's type.
  std::vector<double> lone(Index first, Index count) const;

 private:
  void turns(Index first, Index count, DType type, std::vector<double>& cosine,
             std::vector<double>& sine) const;
  using RunFiller = std::function<void(const PositionRange& positions, Index first)>;
  void by_runs(Index first, Index count, const RunFiller& fill) const;
  void turns(const PositionRange& positions, DType type, double* cosine, double* sine) const;

  const RotationObservation& observation_;
  const Rotation* rotation_;
  const Table* table_;
};

}  // namespace pe
