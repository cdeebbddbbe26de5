// What rounding takes from a score's being relative.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pe/analyze/precision/precision_errors.hpp"
#include "pe/base/kept.hpp"

namespace pe {

/// Gaussian queries and keys, the same for every pipeline and position.
struct ShiftDraws {
  ShiftDraws(const Question& question, const PrecisionSubject& subject);

  Index count = 0, width = 0;         // how many, and the channels of the pairs
  std::vector<double> queries, keys;  // [draw, channel]; none for a table that is added
  double magnitudes = 0;  // the largest Σ(|q0| + |q1|)(|k0| + |k1|)/√channels of a draw
};

/// s(p, p+k) − s(0, k) of one pipeline.
class Shifts {
 public:
  Shifts(const Question& question, Kept<PrecisionSubject> subject, Kept<Pipeline> pipeline,
         Kept<RowErrors> errors, Kept<ShiftDraws> draws);

  /// s(0, k) of each draw, for all pipelines: they are one work, which several ranks and threads
  /// share. Before add_to().
  static void score_at_zero(std::span<Shifts> all, const Question& question);

  /// Scores of the point; NaN where k further is no shift, as from one row of a grid to the next.
  void add_to(PrecisionPoint& point, const PositionRange& place) const;

 private:
  using Ends = std::array<std::vector<double>, 2>;  // entries at p and at p + k
  using Turn = std::array<std::vector<double>, 2>;  // α and β of each pair
  PositionRange further(const PositionRange& place) const;
  bool is_shift(const PositionRange& place) const;
  Ends ends(const PositionRange& place) const;
  Turn turn(const Ends& at) const;
  double score(const Ends& at, Index draw) const;

  const PrecisionSubject& subject_;
  const Pipeline& pipeline_;
  const RowErrors& errors_;
  const ShiftDraws& draws_;
  Index k_ = 0;
  std::optional<Index> rows_;
  Ends zero_;                   // at 0 and at k; none where that is no shift
  Turn start_;                  // from 0 to k
  std::vector<double> scores_;  // s(0, k) of each draw
};

Error drawn_error(const PrecisionSubject& subject, const ShiftDraws& draws);
Error expected_error(const PrecisionSubject& subject);

}  // namespace pe
