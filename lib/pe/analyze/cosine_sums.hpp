// Sums Σ_i cos(mθ_i) for runs of neighbouring distances m, in double or, twice as fast, in float,
// with a bound of their error.
#pragma once

#include <cstdint>
#include <vector>

#include "pe/base/dtype.hpp"

namespace pe {

/// A block has 2·half distances c ± (k + ½) around its centre c. Of the products in cos(a ∓ b) =
/// cos a cos b ± sin a sin b the even part serves both sides: B(c ± (k + ½)) = E_k ∓ O_k, one
/// multiplication and one addition for each pair and distance.
template <typename Number>
class CosineSumsIn {
 public:
  static constexpr Index half = 128;
  static constexpr Index block = 2 * half;

  /// Cosines and sines of (k + ½)θ_i, k < half, [k][pair].
  CosineSumsIn(Index pairs, const double* cosines, const double* sines);

  /// sums[b][0 … 2·half−1] from the cosines and sines at the centres, [b][pair]. Where each of
  /// these and of the constructor's, as a Number, is within e of the true one, each sum is within
  /// error(pairs, e) of the true one. The same bytes on every processor.
  void fill(Index blocks, const Number* cosines, const Number* sines, Number* sums) const;

  static double error(Index pairs, double each);

 private:
  Index pairs_;
  std::vector<Number> table_;  // [tile][pair][cosines, sines][k]
};

extern template class CosineSumsIn<double>;
extern template class CosineSumsIn<float>;
using CosineSums = CosineSumsIn<double>;

}  // namespace pe
