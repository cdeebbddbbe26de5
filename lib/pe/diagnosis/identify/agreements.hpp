// The candidates that agree with a dump of turns.
#pragma once

#include <vector>

#include "pe/diagnosis/identify/estimate.hpp"
#include "pe/diagnosis/identify/rotations.hpp"

namespace pe {

/// A candidate that agrees with what was seen in one reading of a dump.
struct AgreeingCandidate {
  FrequencyEstimate seen;
  Candidate candidate;
  Expectation expected;
};

/// Positions of the reading that has most.
Index longest(const std::vector<FrequencyEstimate>& seen);

/// The cheapest first, of the first stage that has any; empty: no ladder that is known agrees.
std::vector<AgreeingCandidate> agreements_of(const Dump& dump, std::vector<FrequencyEstimate> seen,
                                             Admit admit);

}  // namespace pe
