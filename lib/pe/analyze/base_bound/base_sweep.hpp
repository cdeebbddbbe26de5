// A sweep over all bases, upwards from 1: which of them keep B_m ≥ 0 on 0 … end − 1.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "pe/analyze/base_bound/base_pieces.hpp"

namespace pe {

/// Bases e^from … e^to of which none fails.
struct BaseWindow {
  double from = 0, to = 0;
};

struct BaseSweep {
  std::vector<BasePiece> steps;  // one after the other from u = 0 to the first window
  std::optional<BaseWindow> first;
  Index active = 0;    // whose root the first window begins at
  double safe = 0;     // the last u that fails; all above are proven to keep the bound
  Index last = 0;      // the distance that fails there
  double valid = 0;    // how much of u between the first window and `safe` is valid
  double unknown = 0;  // how much is not decided
  // So well the start of the first window and the last failure are known: what is not decided
  // beside them, and above the last.
  double first_doubt = 0, safe_doubt = 0;
  double proven = 0;  // from here on no sum can be negative, by floor()
};

struct SweepOrder {
  Index end = 0;  // distances 0 … end − 1
  std::size_t threads = 1;
  std::vector<BasePiece> before = {};  // steps of a shorter end: they hold for this one
  std::function<void(double share)> advance;
};

/// The least u from which on floor() is positive for every distance: nothing fails above. None: no
/// base is so large.
std::optional<double> proven_from(const BaseSums& sums, Index end);

BaseSweep sweep_bases(const BaseSums& sums, const SweepOrder& order);

}  // namespace pe
