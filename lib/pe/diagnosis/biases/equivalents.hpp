// What attention cannot tell from the bias that is meant, and damage to a bias that is right.
#pragma once

#include "pe/diagnosis/biases/observation.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {

/// A hypothesis that attention cannot tell from what is meant, and why.
struct Equivalent {
  BiasHypothesis hypothesis;
  std::vector<std::string> notes;
  std::vector<std::string> doubts = {};  // what of the model was not seen
};

/// What is meant first, then what is as good: the nearest first.
std::vector<Equivalent> equivalents(const BiasObservation& observation);

/// What the dump's own mask hides, or leaves open, that no causal attention does.
std::optional<Reason> wrong_mask(const Expectation& expected, const DumpMask& mask,
                                 const ScoreAxes& axes);
/// Cells that the dump hides, or leaves open, beside the causal mask that all others have.
std::optional<Reason> odd_mask(const BiasObservation& observation, const Stored& array);
/// Whether a mask is all that there is.
bool is_hidden_throughout(const Stored& array);

/// "batch 1, head 3, query 20, key 5".
std::string place_of(const BiasShape& shape, const Spot& spot);

/// Heads, queries or keys that are wrong throughout, where the others are right.
std::optional<Reason> stripes(const BiasObservation& observation, const Stored& array);

/// A few wrong cells, among many that are right.
std::optional<Reason> damage(const BiasObservation& observation, const Stored& array);

/// The same beside a hypothesis.
std::optional<Reason> damage_beside(const BiasObservation& observation, const Stored& array,
                                    const BiasHypothesis& hypothesis);

/// The observation without the probed cells that differ from those of the same offset and head,
/// most of which are one number; nothing where there is none, or many.
std::optional<BiasObservation> without_foreign_cells(const BiasObservation& observation);

}  // namespace pe
