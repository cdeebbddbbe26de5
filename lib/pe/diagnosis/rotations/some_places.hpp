// Some places: positions at which a dump of turns is wrong where it is right at all others.
#pragma once

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// What is wrong at those positions, judged alone ("positions 3, 11 and 4 more: …"), or that they
/// hold something else where they are no more than half of all. Nothing where they are one or two,
/// or more than three in four, or where most columns are right there, too.
std::optional<Diagnosis> judge_some_places(const Expectation& expected, const Dump& dump,
                                           std::optional<Side> side, const Judge& judge_one);

}  // namespace pe
