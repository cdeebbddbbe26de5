// A glance: one row of turns beside the exact ones, without naming any of its cells.
#pragma once

#include <complex>
#include <cstddef>

#include "pe/diagnosis/rotations/prediction.hpp"

namespace pe {

/// One row of turns beside the exact ones.
struct TurnRow {
  const double *cosine, *sine, *exact_cosine, *exact_sine, *rounded_cosine, *rounded_sine, *shift,
      *per_radian, *per_fine, *frequency;
  std::size_t pairs;
};

/// The exact turn carried on by a small angle, within 2^−40 below 1/4.
std::complex<double> carried(double cosine, double sine, double by);

struct RowTally {
  Index rounded_otherwise = 0, beyond = 0,
        coarse = 0;  // beyond: the bound; coarse: that of angles in double
  double worst = 0, ulps = 0;
};

/// Without a branch, so that several values are looked at in one step. What is no number is beyond
/// every bound, and its ulps are lost.
RowTally glance_at(const TurnRow& line, double position, double amplitude, const Spacing& spacing,
                   double roundings);

}  // namespace pe
