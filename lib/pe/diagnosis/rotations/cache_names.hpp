// What the names of caches say of their sides.
#pragma once

#include <string_view>

#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// Whether the name holds a word, in capitals or not. Sinusoids are both sides.
bool says(const Stored& stored, std::string_view word);

/// Whether an array of one side has the other's name.
bool is_misnamed(const Stored& stored, RotationReading::Side side);

/// Coordinates of rows beside a table (a CSV's position column) are no turns.
bool is_coordinate(const Stored& array);

/// "cos_sin_cache".
bool says_cosines_first(const Stored& array);

}  // namespace pe
