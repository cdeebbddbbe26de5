// All bases cut into slices, which threads and processes look at side by side.
#pragma once

#include <functional>
#include <vector>

#include "pe/analyze/base_bound/base_pieces.hpp"

namespace pe {

/// What one cell of u = ln b holds: from the end of the one before up to here.
struct BaseCell {
  double to = 0;
  BasePieces pieces;
};

struct SliceOrder {
  double from = 0, to = 0;   // u
  Index end = 0;             // distances 0 … end − 1
  double first_cosine = -1;  // a lower bound of cos m at all of them: see BaseSums::floor
  std::size_t threads = 1;
  std::function<void(double share)> advance;
};

/// The cells from one end to the other. The slices depend on nothing but the ends, and what is
/// found is the same for any number of threads and processes; every process gets all of it.
std::vector<BaseCell> look_in_slices(const BaseSums& sums, const SliceOrder& order);

}  // namespace pe
