// Caches that were flattened: the rows of their cosines and sines, given back.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Cosines and sines of all rows in one line each, two arrays, or one whose second half are the
/// sines, or one of one side alone, with the rows that the encoding's pairs make: [row, pair], or
/// [row, 2·pair] where each number stands twice in a row. Nothing of any other dump: a line of a
/// few numbers, and one whose rows hold both sides, which readings of a line know.
std::optional<Dump> with_rows(const Expectation& expected, const Dump& dump);

}  // namespace pe
