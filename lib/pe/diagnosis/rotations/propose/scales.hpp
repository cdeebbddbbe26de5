// Scales: xPos' growth of each pair of a vector.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

// Rows of vector_causes(): scales that are not those of the turns' positions; missing, inverted or
// squared; about another position; of another base.
RotationProposals turned_elsewhere(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis);
RotationProposals scale_taken_otherwise(const RotationObservation& observation,
                                        const RotationHypothesis& hypothesis);
RotationProposals scale_elsewhere(const RotationObservation& observation,
                                  const RotationHypothesis& hypothesis);
RotationProposals other_scale_base(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis);

}  // namespace pe
