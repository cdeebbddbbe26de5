// Sequences: axes in the order in which vectors are judged, and a batch whose positions are listed
// one sequence after another.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// The letters that somebody calls the axes of the dump by (--axes; "": none). Arrays whose
/// channels are not their last axis, as keys are kept for a product with them, get them there.
/// Throws UsageError where the words are no axes.
std::string put_channels_last(Dump& dump, std::string_view axes);

/// Arrays in which no axis has `count` entries, and an axis of sequences times one of positions
/// has: both as one axis, where that of positions was, and `letters` (--axes) without b. The axes
/// are those that the letters b and s name; without letters the first one, and the only other
/// before the last that makes `count` with it. All other arrays, and letters, as they are.
void join_sequences(Dump& dump, std::string& letters, Index count);

}  // namespace pe
