// Sharp numbers: each number of turned vectors held to the rounding of its own sum, which is
// sharper than what the two numbers of a pair say of its turn: beside a number a hundred times as
// large a small one may be anything.
#pragma once

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// What is wrong with vectors whose turns are right: y = a·cos − b·sin and a·sin + b·cos are off by
/// no more than four roundings of each product and two of the sum, a table and an attention factor
/// in the vectors' own type among them. Channels that are what they were before, or single numbers;
/// of a short type one cause whose numbers these are. Nothing where they are right; no reason where
/// many lie beyond what roundings do and nothing is said of them.
std::optional<std::vector<Reason>> numbers_beyond(const Expectation& expected, const Dump& dump,
                                                  const RotationReading& reading,
                                                  const RotationTruth& truth);

}  // namespace pe
