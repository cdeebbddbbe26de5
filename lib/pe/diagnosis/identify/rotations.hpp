// Turns of unknown make: the readings that hold water, and the candidates that agree with them.
#pragma once

#include "pe/diagnosis/identify/ladder.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// Nothing where no reading of the arrays looks like turns at all; an identification without an
/// encoding where it does and no ladder is known that agrees.
std::optional<Identification> identify_turns(const Dump& dump, const std::string& layout);

/// What is said of a candidate that agrees: summary, alternatives, command.
void tell_ladder(const Candidate& candidate, const Expectation& expected,
                 const RotationReading& reading, const Dump& dump, Identification& found);

}  // namespace pe
