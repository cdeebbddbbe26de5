// What a table of cosines and sines loses in narrow arithmetic, at the positions that a plan looks
// at.
#pragma once

#include <vector>

#include "pe/analyze/pipeline.hpp"
#include "pe/model/frequencies.hpp"

namespace pe {

/// The worst error of a value of the table for each pipeline, over positions below `length`: every
/// one where there are few, else the last 1024 and 1024 evenly spread.
std::vector<double> table_errors(const Ladder& ladder, const std::vector<Pipeline>& pipelines,
                                 Index length);

}  // namespace pe
