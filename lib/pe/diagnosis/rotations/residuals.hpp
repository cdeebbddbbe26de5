// Turn residuals: every cell of a dump against the exact values, in one pass over the file and
// constant memory.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

struct RotationResiduals {
  Index cells = 0, rounded_otherwise = 0;  // compared; not the correctly rounded value
  Index unseen = 0;                        // which a vector of zeros does not show
  Index turning = 0;                       // of those compared, of pairs that have a frequency
  double worst = 0, ulps = 0,
         bound =
             0;  // distance from the truth, in numbers of the file's type, bound of the worst cell
  Cell worst_cell;
  std::optional<Cell> first_wrong;    // beyond the bound of float32 angles
  bool in_double = true;              // every cell lies within the bound of double angles
  std::string angles;                 // how the file's angles were made; "": any float32 way
  Index beyond = 0, rows_beyond = 0;  // cells, of a bound that the file's own arithmetic sets
  Index not_finite = 0;
  std::optional<Cell> first_not_finite;
  Index copies_differ = 0, first_copy = -1;  // rows
  Index copy_cells = 0;                      // that differ
  std::vector<Diagnosis::Point> curve;
  std::vector<Index> suspects;  // rows beyond the bound: the first, the worst, some others

  bool exact() const { return rounded_otherwise == 0 && ulps <= 1; }
};

/// Against the exact values of the effect. Positions are those of `observation`; vectors are
/// measured against turns in double.
RotationResiduals residuals_from_truth(const RotationObservation& observation, const Dump& dump,
                                       const Effect& effect);

/// Rows where a hypothesis does not agree, at most 16, spread; empty: it agrees everywhere.
std::vector<Index> disagreeing_rows(const RotationObservation& observation, const Dump& dump,
                                    const RotationHypothesis& hypothesis);

/// "position 131071"; before it the other axes of vectors, or the row where positions run anew.
std::string spell_row(const RotationObservation& observation, Index row);

/// "position 131071, pair 3, cos".
std::string spell_place(const RotationObservation& observation, Index row, Index pair, bool sine);

}  // namespace pe
