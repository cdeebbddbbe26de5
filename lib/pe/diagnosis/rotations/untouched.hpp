// Untouched: vectors that no turn changed, or pairs of all vectors, beside others that one did.
#pragma once

#include <optional>

#include "pe/diagnosis/rotations/norms.hpp"

namespace pe {

/// Vectors whose rows that are what they were are gaps, and what is told of these: whole heads or
/// sequences, else rows. Nothing where no row is so, or more than three of four.
std::optional<RestoredDump> without_untouched(const Expectation& expected, const Dump& dump,
                                              const RotationReading& reading);

/// Pairs that a turn by `reaches` radians, or its amplitude, would have changed in the type of the
/// vectors, and that are what they were in every vector: the vectors with gaps there. Nothing where
/// no pair is so, or more than three of four.
std::optional<RestoredDump> without_untouched_pairs(const Dump& dump,
                                                    const RotationReading& reading,
                                                    const std::vector<double>& reaches,
                                                    double amplitude);

}  // namespace pe
