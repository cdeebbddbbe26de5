// What the causes of linear biases offer: hypotheses whose slopes are others.
#pragma once

#include "pe/diagnosis/biases/observation.hpp"

namespace pe {

using BiasProposals = std::vector<Proposal<BiasHypothesis>>;

inline bool is_linear(const BiasHypothesis& hypothesis) { return !hypothesis.slopes.empty(); }

BiasProposals offer_ladders(const BiasObservation& observation, const BiasHypothesis& hypothesis);
BiasProposals offer_exponents(const BiasObservation& observation, const BiasHypothesis& hypothesis);
BiasProposals offer_orders(const BiasObservation& observation, const BiasHypothesis& hypothesis);
BiasProposals offer_head_slices(const BiasObservation& observation,
                                const BiasHypothesis& hypothesis);

}  // namespace pe
