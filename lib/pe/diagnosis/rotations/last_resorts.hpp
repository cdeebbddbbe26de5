// Last resorts: what may be told of turns that no hypothesis explains.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/attempts.hpp"

namespace pe {

/// A dump, what is expected of it, and the rows that are probed beside the usual ones.
struct ProbedDump {
  Kept<Expectation> expected;
  Kept<Dump> dump;
  Kept<std::vector<Index>> more;
};

/// The verdict on one attempt, as if there were no other.
using AttemptJudge = std::function<Diagnosis(const Attempt& attempt)>;

/// What is wrong with the others where a few pairs turn nowhere, by the reading that needs the
/// fewest reasons.
std::optional<std::pair<const Attempt*, Diagnosis>> beside_still_pairs(
    const ProbedDump& dump, const std::vector<Attempt>& kept, const AttemptJudge& judge);

/// Cosines alone and sines alone: one of them right, the other wrong by one cause.
std::optional<Diagnosis> wrong_side(const ProbedDump& dump, const Attempt& attempt,
                                    const AttemptJudge& judge);

/// Channels that hold zeros, or what they held before: of vectors by a reading that is meant, else
/// by the one at hand, or one that was kept.
std::optional<std::pair<const Attempt*, Reason>> spoilt_channels_of(
    const ProbedDump& dump, const std::vector<Attempt>& attempts, const std::vector<Attempt>& kept,
    const Attempt& attempt);

}  // namespace pe
