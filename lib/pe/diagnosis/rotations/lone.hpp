// Columns of a table that no pair has both sides of.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// The other way to fill a row of an odd width (--odd) that holds at every cell of a dump; nothing
/// where none does.
std::optional<Reason> cut_otherwise(const Expectation& expected, const Dump& dump);

}  // namespace pe
