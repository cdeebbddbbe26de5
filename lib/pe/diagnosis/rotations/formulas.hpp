// Pair formulas: what kernels compute of a pair in place of its turn.
#pragma once

#include <optional>
#include <vector>

#include "pe/diagnosis/rotations/norms.hpp"

namespace pe {

/// Vectors as the turn would have made them, where every pair went through another formula: the
/// second number read after the first was overwritten, a sign or a product that is missing,
/// cosines of another channel. By the angles that are meant; the reading likeliest first. Nothing
/// where no formula gives what was probed, to the bound of float32 angles and 8 roundings of the
/// vectors' type.
std::optional<RestoredDump> restored_by_formula(const Expectation& expected, const Dump& dump,
                                                const std::vector<RotationReading>& readings);

}  // namespace pe
