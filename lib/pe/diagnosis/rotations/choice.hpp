// Choice: which readings of a dump are worth a hypothesis.
#pragma once

#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/attempts.hpp"

namespace pe {

/// The turns that are meant at the rows of a dump read so, probed where faults show, but for rows
/// that are damaged.
RotationObservation observe(const Expectation& expected, const Dump& dump, const Attempt& attempt,
                            const std::vector<Index>& more);

/// A dump, what is expected of it, and the rows that are probed beside the usual ones.
struct ProbedDump {
  Kept<Expectation> expected;
  Kept<Dump> dump;
  Kept<std::vector<Index>> more;
};
RotationObservation observe(const ProbedDump& dump, const Attempt& attempt);

/// The cheapest reading that agrees with what is meant at the probes, if any; and those that look
/// like turns at all, to be kept for hypotheses.
struct ChosenReading {
  const Attempt* meant = nullptr;
  std::vector<Attempt> kept;
};

ChosenReading choose(const Expectation& expected, const Dump& dump, std::vector<Attempt>& attempts,
                     const std::vector<Index>& more);

}  // namespace pe
