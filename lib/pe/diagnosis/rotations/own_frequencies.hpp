// Turns that are steady, and go by no ladder.
#pragma once

#include <optional>
#include <string>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Of a dump of turns that nothing explains, in words: that every pair turns steadily from row to
/// row, some by frequencies of their own, which no known rule gives. Held against every row;
/// nothing where a pair does otherwise.
std::optional<std::string> own_frequencies(const Expectation& expected, const Dump& dump);

}  // namespace pe
