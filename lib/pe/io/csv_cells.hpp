// What stands in one cell of a csv.
#pragma once

#include <string>

#include "pe/model/field.hpp"

namespace pe::io {

/// The coordinate of index i of an axis that has no names, written at `out`; returns the end.
char* put_coordinate(char* out, const Axis& axis, Index i);

/// The name of index i, or its coordinate.
std::string coordinate(const Axis& axis, Index i);

/// The word that an element of a field of words stands for; "" for none.
std::string word_of(const Field& field, const std::byte* element);

/// Nothing is known at this element: what one subject of a comparison has and another has not.
bool is_missing(const Field& field, const std::byte* element);

}  // namespace pe::io
