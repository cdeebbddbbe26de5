// Tables of rows that are made of no waves.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Kind::table of rows that are no waves: learned, index, normalized-index, floater.
Diagnosis diagnose_rows(const Expectation& expected, const Dump& dump);

/// Positions or channels that are wrong throughout, where the others are right.
std::optional<Reason> row_stripes(const Expectation& expected, const Dump& dump);

}  // namespace pe
