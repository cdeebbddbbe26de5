// Vectors for each difference of rows of a grid, or of columns, and those for each pair that SAM's
// and MViTv2's code gathers.
#pragma once

#include <functional>
#include <optional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// `decomposed`'s tables, [difference, channel], or its vectors after `get_rel_pos`, [query, key,
/// channel] along one axis of the grid: one array or both, each judged by `judge` as rows of a
/// table. Which is which its name says (rel_pos_h, row_table; rel_pos_w, column_table), else its
/// extents, else the order. Nothing where the dump is another.
std::optional<Diagnosis> diagnose_axis_vectors(const Expectation& expected, const Dump& dump,
                                               const Judge& judge);

}  // namespace pe
