// Judging a dump whose rows stand at listed positions, as those of padded and packed batches do.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"
#include "pe/model/positions.hpp"

namespace pe {

/// Each run of positions is judged by itself, the longest first, whose layout the others must have;
/// of runs that are wrong the longest says why. Throws UsageError where no axis of the dump, or
/// more than one, has an entry for each position, and for kinds whose dumps have two such axes.
Diagnosis judge_listed(const Expectation& expected, const Dump& dump, const Positions& positions);

}  // namespace pe
