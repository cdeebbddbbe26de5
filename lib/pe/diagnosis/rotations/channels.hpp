// Channels of vectors: those that were not turned or hold zeros, where the others are right.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// Nothing where the dump holds no vectors, or where some channel is wrong otherwise.
std::optional<Reason> spoilt_channels(const RotationObservation& observation, const Dump& dump);

}  // namespace pe
