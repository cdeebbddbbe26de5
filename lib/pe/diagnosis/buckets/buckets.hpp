// Buckets: index matrices and rows.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Kind::relative, and biases that have buckets: index matrices, one query's row, buckets by
/// offset.
Diagnosis diagnose_buckets(const Expectation& expected, const Dump& dump);

}  // namespace pe
