// What is told of a bias that is not as meant: the cheapest explanation, all of it or beside
// damage, of all heads or of some.
#pragma once

#include <optional>

#include "pe/diagnosis/biases/residuals.hpp"

namespace pe {

/// A hypothesis that agrees at every cell, and what it left of the keys after the query.
struct BiasExplanation {
  BiasHypothesis hypothesis;
  LaterKeys later;
};

/// Cells that refute a hypothesis are looked at from then on.
void add_refuting_probes(BiasObservation& observation, const Stored& array, const BiasPass& pass);

/// Tells the cheapest hypothesis that agrees at every cell, with what is wrong with the keys after
/// the query beside it; cells that refute one that agreed at the probes become probes.
std::optional<BiasExplanation> tell_smallest(BiasObservation& observation, const Stored& array,
                                             const BiasHypothesis& start, Diagnosis& diagnosis);

/// Tells one cause that explains a dump within its bound far better than the arithmetic that is
/// meant. A bound may have to be wide, where roundings could all go one way; they do not go the way
/// of another parameter.
bool tell_far_better(const BiasObservation& observation, const Stored& array,
                     const BiasHypothesis& meant, const Tally& residuals, Diagnosis& diagnosis);

/// Tells the cheapest hypothesis that holds but for a few cells, and these; whether there is one.
bool tell_beside_damage(const BiasObservation& observation, const Stored& array,
                        const BiasHypothesis& start, Diagnosis& diagnosis);

/// Tells what is wrong with some heads, where the others are as they are meant.
bool tell_some_heads(const BiasObservation& observation, Diagnosis& diagnosis);

}  // namespace pe
