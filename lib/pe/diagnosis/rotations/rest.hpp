// The rest: channels of vectors that do not turn, and are passed through bit for bit, or rounded to
// the type that the vectors have afterwards.
#pragma once

#include <vector>

#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// A channel that was not passed through.
struct RestCell {
  Index row, channel;
  double before, after;
};

std::vector<RestCell> changed_rest(const Dump& dump, const RotationReading& reading, Index first,
                                   Index count);

/// How many channels from the first one on, or up to the last one, are others afterwards, in the
/// rows of a dump of vectors that tell it: 0 where none is.
Index changed_channels(const Dump& dump);

}  // namespace pe
