// Reach: what a cause that moves angles alone, or lengths alone, can still bring to agree.
#pragma once

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// Whether the turns observed may be those of a hypothesis but for their angles and one length of
/// them all: no angle brings turns of several lengths onto one circle. True where nothing can be
/// told: of one side alone, and where a turn's length depends on its angle or position.
bool may_be_by_angles(const RotationObservation& observation, const RotationHypothesis& hypothesis);

/// Whether they may be but for one number that multiplies all of them: none turns any.
bool may_be_by_length(const RotationObservation& observation, const RotationHypothesis& hypothesis);

}  // namespace pe
