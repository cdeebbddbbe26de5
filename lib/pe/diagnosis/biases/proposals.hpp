// What causes offer that have a file of their own.
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

BiasProposals offer_zeros(const BiasObservation& observation, const BiasHypothesis& hypothesis);
BiasProposals offer_short_positions(const BiasObservation& observation,
                                    const BiasHypothesis& hypothesis);
BiasProposals offer_short_slopes(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis);
BiasProposals offer_short_values(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis);

/// Sandwich's sum with a term too many, or without its compression.
BiasProposals offer_sums(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// A number of the encoding that was fitted, of biases that are functions of an argument.
BiasProposals offer_numbers(const BiasObservation& observation, const BiasHypothesis& hypothesis);

}  // namespace pe
