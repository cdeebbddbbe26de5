// Norms: what the lengths of vectors tell, which no turn changes.
#pragma once

#include <vector>

#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/diagnosis/rotations/restored.hpp"

namespace pe {

/// Whether some vectors, spread over the dump, are as long as they were to a rounding of any type.
/// `magnitude`: what the channels that turn are to be multiplied by.
bool keep_lengths(const Dump& dump, const RotationReading& reading, double magnitude);

/// The ways to put vectors right, where their lengths say that something beside the turn was done:
/// every one multiplied by a number, channels that do not turn, too, or each the turn of another
/// one, along the axis of positions, across the heads or where an axis of heads bears the name of
/// that of positions. The likelier first; none where each is as
/// long as it was. One array before and one after. Lengths are compared to 4 roundings of the
/// type that their numbers are of, and the channels that turn are to be multiplied by `magnitude`.
std::vector<RestoredDump> restored_by_norms(const Dump& dump, const RotationReading& reading,
                                            double magnitude);

/// Each vector before as long as the one after it: where nothing else explains them, for their
/// directions alone are then held. Nothing where all have grown alike, or one is 0.
std::optional<RestoredDump> restored_by_own_lengths(const Dump& dump,
                                                    const RotationReading& reading);

}  // namespace pe
