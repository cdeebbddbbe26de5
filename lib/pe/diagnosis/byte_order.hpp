// Numbers whose bytes stand in the other order than the file's format says.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Whether the numbers of an array, as they lie, are what none of an encoding's are (beyond 1e9,
/// NaN, next to nothing) and with their bytes the other way round all are small: written by a
/// machine of the other byte order, or by a program that believed so. Looks at 4096 numbers at
/// most; false of integers.
bool has_bytes_reversed(const Stored& array);

}  // namespace pe
