// Positions regressed on rows, each predicted by rows that were fitted without it.
#pragma once

#include <vector>

#include "pe/base/matrix.hpp"

namespace pe {

/// Ridge's weight, in means of the eigenvalues: far below what decides, far above rounding.
constexpr double ridge = 1e-6;

/// Linear regression of the row's number on the row with an intercept, from the products of rows.
/// Row i is predicted by the fit to the rows of other folds.
std::vector<double> predict_positions(const Matrix& gram, const std::vector<int>& folds, int parts);

}  // namespace pe
