// Where one sum B_m is negative, as a function of u = ln b: proven pieces, their ends at its roots.
#pragma once

#include <vector>

#include "pe/analyze/base_bound/base_sums.hpp"

namespace pe {

/// B_m < 0 for every u from `from` to `to`, and where that ends in a root, this is not farther than
/// `doubt` beyond.
struct BasePiece {
  double from = 0, to = 0;
  Index distance = 0;
  double doubt = 0;
};

/// Between the pieces, and what is not known, B_m > 0.
struct BasePieces {
  std::vector<BasePiece> negative;
  double unknown = 0;  // how much of u beside the roots and between two of them is not decided
  double widest = 0;   // the most of it in one place
};

/// Whether B_m < 0 all over the interval, by a parabola through its middle, and whether it is > 0.
enum class BaseSign { negative, positive, open };
BaseSign sign_between(const BaseSums& sums, const BaseLadder& middle, double half, Index distance);

BasePieces negative_pieces(const BaseSums& sums, Index distance, double from, double to);

}  // namespace pe
