// Dumps of several layers, sequences or heads of which some are right: what is wrong with the
// others, each by itself.
#pragma once

#include <functional>

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// How one dump is judged, as it lies.
using TurnJudge = std::function<Diagnosis(const Expectation& expected, const Dump& dump)>;

/// A verdict by slices along one axis: some hold as meant, and all others are explained ("head 2 of
/// 4: …"). Nothing where there is no such axis, or where something is unexplained. At most 64
/// slices are looked at.
std::optional<Diagnosis> judge_slices(const Expectation& expected, const Dump& dump,
                                      std::optional<Side> side, const TurnJudge& judge_one);

}  // namespace pe
