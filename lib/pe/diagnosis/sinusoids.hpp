// Sinusoids that a relative encoding is made of, as a table of their own.
#pragma once

#include <optional>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// A table of sinusoids, and what it ought to be.
struct SinusoidDump {
  Expectation expected;
  Dump dump;
  std::optional<Reason> reason = {};  // its rows are other distances than they should
  bool rises = false;  // from the smallest distance on, where the encoding's own code falls to it
};

/// A dump that holds the sinusoids of NEZHA (a row for each bucket) or of Transformer-XL (a row for
/// each distance, in the order that the dump has; one of those that repeat a clamped distance)
/// before any projection: real numbers, [row, channel], or [row, sequence, channel] all alike. By
/// each order that its rows may have, the likelier first; empty where the dump is another.
std::vector<SinusoidDump> sinusoids_of(const Expectation& expected, const Dump& dump);

}  // namespace pe
