// Other side: cosines, or sines, that are right, beside others that are one number, or the same.
#pragma once

#include <optional>

#include "pe/diagnosis/rotations/choice.hpp"

namespace pe {

/// What is wrong with a table of which one side is right in every row, and the other holds one
/// number throughout, or the first side again. Nothing of any other, or where rows are too few, or
/// too still, to see that a side is right.
std::optional<Reason> other_side(const ProbedDump& dump, const Attempt& attempt);

}  // namespace pe
