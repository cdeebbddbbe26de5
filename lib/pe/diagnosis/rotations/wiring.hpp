// Wiring: which channels of a vector each channel of the turned one was made from.
#pragma once

#include <optional>

#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// What is wrong with vectors of which every channel is a channel before times a cosine, plus or
/// minus one times a sine, by the angles that are meant: pairs read here and written there,
/// partners taken out of the whole head, channels that do not turn overwritten, a sign. Found from
/// the vectors themselves and held against every row; nothing where some channel is made otherwise,
/// or all are as meant. One array before and one after.
std::optional<Diagnosis> judge_wiring(const Expectation& expected, const Dump& dump,
                                      std::optional<Side> side);

}  // namespace pe
