// What causes offer that have a file of their own.
#pragma once

#include <functional>

#include "pe/diagnosis/biases/observation.hpp"
#include "pe/diagnosis/buckets/maps.hpp"

namespace pe {

using BiasProposals = std::vector<Proposal<BiasHypothesis>>;

inline bool is_linear(const BiasHypothesis& hypothesis) { return !hypothesis.slopes.empty(); }

/// The bias is a function of how far a key lies from its query, so that it may be another distance:
/// whatever is wrong with distances can be said of it.
inline bool is_by_distance(const BiasHypothesis& hypothesis) {
  const Bias& bias = *hypothesis.bias;
  return is_linear(hypothesis) ||
         (!bias.rows && bias.scaled_terms == 1 && (!bias.buckets || bias.buckets->by_offset));
}

/// Nothing was told otherwise yet: what is fitted takes too long to be tried beside all else.
bool is_first(const BiasObservation& observation, const BiasHypothesis& hypothesis);

/// The hypothesis with other numbers, as f64, in the place of its bias's.
using PairValue = std::function<double(Index head, std::int64_t query, std::int64_t key)>;
BiasHypothesis of_pairs(const BiasHypothesis& hypothesis, PairValue value);

/// The same by the head, the distance and the finite number that is meant; a masked pair stays so.
BiasHypothesis of_values(const BiasHypothesis& hypothesis,
                         std::function<double(Index head, double distance, double meant)> other);

/// The hypothesis with other slopes, one for each head of the dump.
BiasHypothesis with_slopes(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                           std::vector<Real> slopes);
/// The largest power of two that is no larger.
Index power_below(Index n);

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

/// KERPLE's parameters in each other's place.
BiasProposals offer_exchanged(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// FIRE's argument by another formula.
BiasProposals offer_arguments(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// Whether a dump is FIRE's hidden units behind another output layer.
bool has_other_output(const BiasObservation& observation);
/// TUPE's two parts, one of them left out, turned or scaled.
BiasProposals offer_parts(const BiasObservation& observation, const BiasHypothesis& hypothesis);

/// Queries and keys swapped: of a bias, and of one that is read by buckets.
BiasProposals offer_bias_transposed(const BiasObservation& observation,
                                    const BiasHypothesis& hypothesis);
BiasProposals offer_bucket_transposed(const BiasObservation& observation,
                                      const BiasHypothesis& hypothesis);
/// Heads in another order, of a bias that is no slope.
BiasProposals offer_permuted(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// The same weights behind another map of buckets.
BiasProposals offer_bucketed(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                             BucketFault fault);

/// Sandwich's sum with a term too many, or without its compression.
BiasProposals offer_sums(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// Distances that are one or two more or less, or end early.
BiasProposals offer_distances(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// The distance that each is counted as, where a bias that falls or rises with it tells.
BiasProposals offer_distance_map(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis);
/// The bucket of each offset as the weights there tell it, where no rule makes the map.
BiasProposals offer_read_map(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// A function of the weights in their place: Swin v2's sigmoid, or none where it is meant.
BiasProposals offer_functions(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// Swin v2's coordinates divided by another window's than the one of pretraining.
BiasProposals offer_windows(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// Swin v2's coordinates by another formula, or other hidden units behind them.
BiasProposals offer_coordinates(const BiasObservation& observation,
                                const BiasHypothesis& hypothesis);
/// LayoutLM's three biases, one left out, turned, or of other edges.
BiasProposals offer_boxes(const BiasObservation& observation, const BiasHypothesis& hypothesis);
/// A number of the encoding that was fitted, of biases that are functions of an argument.
BiasProposals offer_numbers(const BiasObservation& observation, const BiasHypothesis& hypothesis);

}  // namespace pe
