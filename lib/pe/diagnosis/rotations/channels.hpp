// Channels: those of vectors that were not turned, pairs of tables that hold zeros or turn nowhere,
// cells that alone were rounded to a short type, where the others are right.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// "32–63", "3, 11, 19 and 5 more".
std::string spell_channels(const std::vector<Index>& channels);

/// Nothing where some channel is wrong otherwise; of vectors and of tables of both sides.
std::optional<Reason> spoilt_channels(const RotationObservation& observation, const Dump& dump);

}  // namespace pe
