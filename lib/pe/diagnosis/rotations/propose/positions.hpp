// Places: the positions that the probes' phases say they stand at, beside those that are meant.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// A probe whose phases say where it stands.
struct ProbeSpot {
  Index row;
  double meant, implied;
};

std::vector<ProbeSpot> places_of(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis);

// Rows of position_causes(): positions that part from the meant ones from a place on, and blocks of
// rows in another order.
RotationProposals jump(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis);
RotationProposals permuted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis);

}  // namespace pe
