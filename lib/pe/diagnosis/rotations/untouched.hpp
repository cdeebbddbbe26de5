// Untouched rows: vectors that no turn changed, beside others that one did.
#pragma once

#include <optional>

#include "pe/diagnosis/rotations/norms.hpp"

namespace pe {

/// Vectors whose rows that are what they were are gaps, and what is told of these: whole heads or
/// sequences, else rows. Nothing where no row is so, or more than three of four.
std::optional<RestoredDump> without_untouched(const Dump& dump, const RotationReading& reading);

}  // namespace pe
