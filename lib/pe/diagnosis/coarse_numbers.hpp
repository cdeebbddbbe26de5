// Dumps whose numbers were rounded to less than any type has: eight bits, or integers times a
// number, as quantised caches hold them; and those whose f64 files hold numbers of f32.
#pragma once

#include <functional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// `told` where it explains the dump, or where its numbers lie on no coarse grid; else what
/// `diagnose` says of it when each number may have been rounded so, with `reason` (its sentence
/// names the numbers) first. Where that explains nothing either, a note says how they lie.
Diagnosis with_coarse_numbers(Diagnosis told, const Expectation& expected, const Dump& dump,
                              const Reason& reason, const DumpJudge& diagnose);

/// `told` of a file of f64 that is within its bound, where every number of it is one of f32: what
/// `diagnose` says of them as f32. Correctly rounded so, they were rounded before they were written
/// (`cause`); else the arithmetic is the one that they show.
Diagnosis with_numbers_of_f32(Diagnosis told, const Dump& dump, Cause cause,
                              const DumpJudge& diagnose);

}  // namespace pe
