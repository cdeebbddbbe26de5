// The linear map that carries each row of a table to the one k positions on, by least squares.
#pragma once

#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/matrix.hpp"

namespace pe::laws {

constexpr Index most_fitted_rows = 4096;  // positions that a fit looks at

/// Runs of positions across the range, fitted and held out in turn: between neighbours any smooth
/// table fits. `later` exchanges the two.
struct Halves {
  std::vector<Index> fitted, tried;
};
Halves halves_of(Index usable, bool later);

/// The rows of `all`, [position, width], at every index in `rows`.
Matrix gather(const std::vector<double>& all, Index width, const std::vector<Index>& rows);

/// M = X⁺Y for rows x M ≈ y, by a singular value decomposition of X without the directions whose
/// singular value is at most twice the noise, to which a share of the largest is added. Rows of X⁺
/// are weights of the fitted rows: X⁺ = scaled · u. Throws MathError where no direction stands out
/// of the noise.
struct ShiftFit {
  Matrix scaled, u;  // [width, rank], [rank, fitted]
  Matrix m;          // [width, width]
  std::vector<double> singular;
  std::size_t rank = 0;
};
ShiftFit fit_shift(const Matrix& x, const Matrix& y, double noise, double share);

}  // namespace pe::laws
