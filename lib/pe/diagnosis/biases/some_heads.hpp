// Heads of a bias some of which are right.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pe/diagnosis/biases/observation.hpp"

namespace pe {

/// The heads of a dump that are not what a hypothesis says, and what they are as a dump of their
/// own.
struct HeadObservation {
  std::vector<Index> heads = {};
  std::shared_ptr<const Stored> array = {};  // [batch, head, query, key]
  BiasObservation observation = {};
  BiasHypothesis hypothesis = {};  // of these heads
};

/// Nothing where all heads are wrong, or all are right, or those that the probes show to be right
/// are not at every cell.
std::optional<HeadObservation> wrong_heads(const BiasObservation& observation,
                                           const BiasHypothesis& hypothesis);

/// "head 3", "heads 1, 4, 5", or how many of them and the first.
std::string spell_heads(const std::vector<Index>& heads, const BiasShape& shape);

}  // namespace pe
