// M_k fitted on half of a table's rows and tried on the others.
#pragma once

#include <cstdint>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

/// For each k: rank, rows, what the fit leaves of rows it saw and of rows it did not, and what it
/// leaves of random tables of the same shape.
Sheet fitted_shifts(const Question& question, const std::vector<std::int64_t>& shifts);

/// M_k fitted on every row.
Sheet fitted_matrix(const Question& question, const std::vector<std::int64_t>& shifts);

}  // namespace pe
