// Readings of numbers along one axis.
#pragma once

#include <vector>

#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// One number for each pair, or the row of one position, or rows without end. By `factors` the
/// command says that a number divides its pair's frequency.
void add_line(std::vector<RotationReading>& all, const Stored& array, Index n,
              std::optional<Index> pairs, bool factors);

}  // namespace pe
