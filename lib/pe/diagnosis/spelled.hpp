// Numbers of rows, pairs, heads, as sentences name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pe {

/// "3", "0, 2", "8–31", "1, 3, 5, 7 and 4 more"; ascending, at least one.
std::string spell_numbers(const std::vector<std::int64_t>& numbers);

}  // namespace pe
