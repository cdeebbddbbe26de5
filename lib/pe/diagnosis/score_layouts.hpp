// Scores whose axes stand otherwise: [query, head, key], flat, heads in groups, cells of a window
// by row and column; and the weights of a bias instead of the bias.
#pragma once

#include <functional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// The verdict of `judge`. Where that is wrong, or a refusal, a bias or an index matrix is read by
/// every other meaning that its axes may have: the one that is right is told, with a note of how it
/// was read. Where none is and the first reading explained nothing, one that explains what is
/// wrong. Axes of the extents that [head, query, key] would have are not exchanged: that is a
/// fault.
Diagnosis with_other_axes(const Expectation& expected, const Dump& dump, const Judge& judge);

}  // namespace pe
