// Vectors before and after: queries, keys or both.
#pragma once

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// As they lie; where nothing explains that, without what a turn cannot have done to them, slice by
/// slice, or by the channels that each channel was made from. Throws UsageError where arrays before
/// and after do not go together.
Diagnosis diagnose_vectors(const Expectation& expected, const Dump& dump);

/// Vectors in the type that those afterwards were made in, which a longer one may hold.
Dump as_made(const Dump& dump);

/// Arrays whose last axis is that of one or several heads of `dim` channels, with an axis of heads;
/// as it is where it is none, or where each has one head.
Dump with_heads(const Dump& dump, Index dim);

}  // namespace pe
