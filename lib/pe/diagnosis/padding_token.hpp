// The padding token: whole buffers of sinusoids, one row for each index, whose row of the padding
// token is zero.
#pragma once

#include <functional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// fairseq's modules, and those made after them, give positions from padding index + 1 on
/// (--offset) and keep the row of the padding index at zero
/// (SinusoidalPositionalEmbedding.get_embedding). A verdict that such a row is zero is told again
/// without it where the row stands at position −1, and a verdict on a buffer that starts at its
/// first row says how it is asked for.
Diagnosis with_padding_token(const Expectation& expected, const Dump& dump, Diagnosis told,
                             const DumpJudge& judge);

}  // namespace pe
