// Products of rows with a matrix, in f64, each a plain sum in index order whatever the blocking.
#pragma once

#include "pe/base/counted.hpp"
#include "pe/base/dtype.hpp"

namespace pe {

/// A matrix [terms, columns] laid out for products: panels of eight columns.
class Panels {
 public:
  static constexpr Index width = 8;

  Panels() = default;
  /// In memory that `memory` knows of.
  Panels(Index terms, Index columns, const Counted<double>& memory);

  Index terms() const { return terms_; }
  Index columns() const { return columns_; }
  double& at(Index term, Index column) {
    return values_[static_cast<std::size_t>((column / width * terms_ + term) * width +
                                            column % width)];
  }

  /// out[r, c] = Σ_t left[r, t] · this[t, c], t = 0, 1, … in turn with a rounding after each
  /// product and each sum, so |error| ≤ γ_n Σ|left·this| with n = terms (Higham 2002, §3.1). `left`
  /// is [rows, terms], `out` [rows, columns].
  void multiply(const double* left, Index rows, double* out) const;

 private:
  Index terms_ = 0, columns_ = 0;
  CountedNumbers values_;
};

}  // namespace pe
