// Sides: queries and keys beside one another, each judged by itself.
#pragma once

#include <string_view>
#include <vector>

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// Of all pairs of all rows: of some alone no weights were ever trained.
inline constexpr std::string_view goes_backwards =
    "sines have the other sign: the turns go backwards";

/// Of queries and keys, or of one alone, what is farthest from right. What both have and relative
/// positions survive is a note: the other direction, another centre of xPos' scales.
Diagnosis gravest(const Expectation& expected, std::vector<Diagnosis> each);

/// The same, with the causes of each array by its name where they differ, and a note of arrays that
/// nothing explains.
Diagnosis told_by_name(const Expectation& expected, std::vector<Diagnosis> each,
                       const std::vector<Stored>& arrays);

}  // namespace pe
