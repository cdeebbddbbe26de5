// Rows that stand anywhere: packed, thinned, padded and shuffled ones, and timesteps of a sampler.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// The whole position of each row of one run, where every pair of it stands as the ladder has that
/// position, to the rounding of float32 angles and of the file's type. Nothing where a row has
/// none, where one side alone is known, or where few pairs turn. Up to half a wave of the slowest
/// pair short of 0, else within its first whole one.
std::optional<std::vector<std::int64_t>> decoded_positions(const Dump& dump,
                                                           const RotationReading& reading,
                                                           const Expectation& expected,
                                                           const RotationTruth& truth);

/// Part of the angles that are one number for the row times one for the column, as those of rows
/// anywhere are.
double proportionality(const Dump& dump, const RotationReading& reading,
                       const std::vector<Index>& rows);

}  // namespace pe
