// Numbers before training: what is drawn where nobody gave what a model has trained.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Numbers that were drawn, since nobody gave the trained ones nor asked for a seed, are nobody's:
/// a dump that has next to nothing of them is not wrong. Throws UsageError with the options that
/// give the trained ones.
void refuse_untrained(const Expectation& expected, const Dump& dump, const Diagnosis& told);

}  // namespace pe
