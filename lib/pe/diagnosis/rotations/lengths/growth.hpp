// Growth: vectors that are longer or shorter than they were.
#pragma once

#include <optional>

#include "pe/diagnosis/rotations/lengths/lengths.hpp"
#include "pe/diagnosis/rotations/restored.hpp"

namespace pe {

/// All vectors have grown, or shrunk, alike, the channels that do not turn, too.
std::optional<RestoredDump> grown(const Lengths& lengths);

/// The channels that do not turn have grown alike, whatever the others did; by the `magnitude` of
/// the turns, where it may be that.
std::optional<RestoredDump> rest_grown(const Dump& dump, const RotationReading& reading,
                                       double magnitude);

/// Those of each entry along another axis, as heads are, have grown alike, and others otherwise.
std::optional<RestoredDump> grown_apart(const Lengths& lengths);

/// Each vector has grown by a number of its own, as by a norm.
std::optional<RestoredDump> grown_each(const Lengths& lengths);

}  // namespace pe
