// Of a table made of waves: which wave each column is of, and the angle behind each value.
#pragma once

#include <vector>

#include "pe/model/field.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

/// `angle` over the axes of `table`, and `function`, `pair` and `wavelength` of each of its
/// columns; nothing where the rows are not made of waves. A column that no wave fills has no
/// function.
std::vector<Field> cell_fields(const Subject& subject, const Field& table);

}  // namespace pe
