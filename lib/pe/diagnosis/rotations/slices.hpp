// Dumps of several layers, sequences or heads of which some are right: what is wrong with the
// others, each by itself.
#pragma once

#include <functional>

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// The whole; or, where along one axis some slices hold as meant and all others are explained, what
/// is wrong with those ("head 2 of 4: …"). At most 64 slices are looked at.
Diagnosis judge_by_slices(const Expectation& expected, const Dump& dump, std::optional<Side> side,
                          const Judge& judge_one);

}  // namespace pe
