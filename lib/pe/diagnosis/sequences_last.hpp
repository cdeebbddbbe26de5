// Sequences behind positions: tables that lie [position, sequence, channel], as fairseq and
// Megatron hand them on.
#pragma once

#include <functional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// A verdict on tables of three axes that is wrong, told again with the first axis for positions
/// and the second for sequences: where that is right, or where --length says that the first counts
/// positions and a cause is found.
Diagnosis with_sequences_last(const Expectation& expected, const Dump& dump, Diagnosis told,
                              const DumpJudge& judge);

}  // namespace pe
