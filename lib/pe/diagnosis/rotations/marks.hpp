// Marks: how rows that something is true of are called.
#pragma once

#include <string>

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// "row 3", "rows 8–31"; of a dump of several axes "the vectors of head 2", "the rows of sequence
/// 1", or how many there are, and the first.
std::string spell_rows(const Expectation& expected, const RotationReading& reading,
                       const RowMarks& marks);

}  // namespace pe
