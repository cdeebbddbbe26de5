// Turns by the axes of a prompt, where nobody said which of its tokens are a picture's.
#pragma once

#include <functional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// The verdict by segments that are the encoding's own example, or by text alone: whichever the
/// dump is; where it is neither, the one that is nearer. Nothing where segments were given, or the
/// encoding has none.
std::optional<Diagnosis> judge_prompt(const Expectation& expected, const Dump& dump,
                                      const Judge& judge);

}  // namespace pe
