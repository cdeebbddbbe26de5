// Dumps of what is not made of turns: biases and slopes, index matrices, tables of rows.
#pragma once

#include <span>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Kind::bias: a matrix, one query's row, or slopes; whole numbers are buckets.
Diagnosis diagnose_bias(const Expectation& expected, const Dump& dump);

/// Kind::relative, and biases that have buckets: index matrices, one query's row, buckets by
/// offset.
Diagnosis diagnose_buckets(const Expectation& expected, const Dump& dump);

/// Kind::table of rows that are no waves: learned, index, normalized-index, floater.
Diagnosis diagnose_rows(const Expectation& expected, const Dump& dump);

}  // namespace pe
