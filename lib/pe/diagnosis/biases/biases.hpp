// Biases on scores: matrices, one query's row, slopes.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Kind::bias: a matrix, one query's row, or slopes; whole numbers are buckets.
Diagnosis diagnose_bias(const Expectation& expected, const Dump& dump);

/// Heads, queries or keys of a bias of numbers that are wrong throughout, where the others are
/// right.
std::optional<Reason> bias_stripes(const Expectation& expected, const Dump& dump);

}  // namespace pe
