// Types that text forgets.
#pragma once

#include <vector>

#include "pe/base/stored.hpp"

namespace pe {

/// Arrays with the types that their numbers had before they were printed: doubles that are all the
/// shortest decimals of f32, f16 or bf16 numbers are those. `turns`: they hold no whole numbers, so
/// that 16-bit integers are the bits of bf16 numbers.
std::vector<Stored> typed(std::vector<Stored> arrays, bool turns);

}  // namespace pe
