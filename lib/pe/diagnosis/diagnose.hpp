// The way from a dump and what it ought to be to its diagnosis.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Throws UsageError where the arrays cannot be told to be any layout of the expected encoding,
/// with the candidates; FileError where they cannot be read.
Diagnosis diagnose(const Expectation& expected, const Dump& dump);

}  // namespace pe
