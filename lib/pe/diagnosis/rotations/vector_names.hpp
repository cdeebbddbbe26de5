// Names of vectors: which arrays before and after belong together, and which of them nothing turns.
#pragma once

#include <optional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// The arrays of an attention layer, before and after, by what their names say.
struct LayerDump {
  Dump turning;                     // queries, then keys, each beside itself
  Dump values;                      // what attention adds up, which nothing turns
  std::vector<std::string> unseen;  // masks, hidden states, what has no other side
};

/// Nothing where the names do not tell, or say no more than the order does.
std::optional<LayerDump> vectors_by_name(const Dump& dump);

/// The verdict on what turns, with what is wrong with the values beside it.
Diagnosis with_values(const Expectation& expected, const LayerDump& vectors, Diagnosis told);

}  // namespace pe
