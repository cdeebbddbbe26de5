// B_m(u) = Σ_i cos(m·e^(−a_i u)), a_i = 2i/d, as a function of u = ln b: values in double, with
// bounds of their error and of how fast they change.
#pragma once

#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"

namespace pe {

/// The ladder of one base, and sums over it that the bounds need.
struct BaseLadder {
  double u = 0;
  std::vector<double> frequencies;
  double steepness = 0;               // Σ a_i θ_i, so that |dB_m/du| ≤ m · steepness
  double bend = 0, bend_squared = 0;  // Σ a_i² θ_i and Σ a_i² θ_i²: see curvature()
  double angle = 0;                   // m · angle bounds what rounded angles do to B_m
  double angle_slope[2] = {};  // m · [0] + m² · [1] bounds what rounding does to the slope

  /// At every base from e^(u − back) on: |dB_m/du|, and |d²B_m/du²|.
  double slope_bound(double distance, double back) const;
  double curvature(double distance, double back) const;
};

/// B_m and its slope in u at one base, each within its error.
struct BaseValue {
  double value = 0, error = 0, slope = 0, slope_error = 0;
};

class BaseSums {
 public:
  /// Of a rotation of `dim` channels: dim/2 pairs.
  explicit BaseSums(Index dim);

  Index dim() const { return dim_; }
  Index pairs() const { return dim_ / 2; }
  BaseLadder ladder(double u) const;
  BaseValue at(const BaseLadder& ladder, Index distance) const;
  /// The error of a sum of `pairs` cosines, each within `each`, at the ladder's rounded angles.
  double error(const BaseLadder& ladder, double distance, double each) const;

  /// A lower bound of B_m for every m ≤ distance at every base from e^u on: Σ_i g(m·θ_i), g = cos
  /// up to π and −1 beyond. g falls, and so does θ_i as the base grows. Only the first pair, whose
  /// angles m no base changes, may be known better: `first` is a lower bound of its cosines.
  double floor(double u, Index distance, double first) const;

  /// The root of B_m near u to 100 digits, by Newton's steps.
  Real root(double u, Index distance) const;

 private:
  Index dim_;
  std::vector<double> exponents_;
};

}  // namespace pe
