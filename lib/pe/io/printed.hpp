// Types that text forgets, by the digits that it has.
#pragma once

#include <optional>

#include "pe/base/stored.hpp"

namespace pe::io {

/// The type that doubles had before they were printed: they are all the shortest decimals of f32,
/// f16 or bf16 numbers. Nothing where they are not, or where the numbers themselves are of that
/// type.
std::optional<DType> printed_type(const Stored& array);

/// The same where they have more digits than a longer type would have had as well.
std::optional<DType> type_of_digits(const Stored& array);

/// Whether numbers of a type, printed with as many digits as each has, may read like these.
bool may_be_printed(const Stored& array, DType type);

/// Whether they are printed with so many digits, all with the same, that no other number of the
/// type reads like any of them.
bool are_printed_whole(const Stored& array, DType type);

}  // namespace pe::io
