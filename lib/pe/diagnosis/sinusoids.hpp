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

/// Rows as distances in some order, and whether it is that of a table by distance, from the
/// smallest on.
struct DistanceReading {
  std::vector<std::int64_t> distances;
  bool rises = false;
};

/// The orders that codes and pe-gen have for so many rows, none of them farther than `clamp` (0:
/// any): Transformer-XL's pos_seq falls to 0; XLNet's from the keys' count to one more than minus
/// the queries'; relative positions 1 − L … L − 1 are distances that fall from L − 1, and stay at 0
/// where later keys are masked. Positions behind a memory count its keys, too; negative ones are
/// keys less queries themselves.
std::vector<DistanceReading> distance_orders(const Relative& relative, Index rows,
                                             const Expectation& expected, std::int64_t clamp);

/// A dump that holds the sinusoids of NEZHA (a row for each bucket) or of Transformer-XL (a row for
/// each distance, in the order that the dump has; one of those that repeat a clamped distance)
/// before any projection: real numbers, [row, channel], or [row, sequence, channel] all alike. By
/// each order that its rows may have, the likelier first; empty where the dump is another.
std::vector<SinusoidDump> sinusoids_of(const Expectation& expected, const Dump& dump);

}  // namespace pe
