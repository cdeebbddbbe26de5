// Last resorts: what may be told of turns that no hypothesis explains.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "pe/diagnosis/rotations/choice.hpp"

namespace pe {

/// The verdict on one attempt, as if there were no other.
using AttemptJudge = std::function<Diagnosis(const Attempt& attempt)>;

/// What is wrong with the others where a few pairs turn nowhere, by the reading that needs the
/// fewest reasons.
std::optional<std::pair<const Attempt*, Diagnosis>> beside_still_pairs(
    const ProbedDump& dump, const std::vector<Attempt>& kept, const AttemptJudge& judge);

/// Cosines alone and sines alone: one of them right, the other wrong by one cause.
std::optional<Diagnosis> wrong_side(const ProbedDump& dump, const Attempt& attempt,
                                    const AttemptJudge& judge);

/// What was found by a reading.
struct PartReport {
  const Attempt* attempt;
  std::vector<Reason> reasons;
};

/// A few columns of a table that is read as it is meant, where the others are right.
std::optional<PartReport> few_spoilt_columns(const ProbedDump& dump,
                                             const std::vector<Attempt>& attempts);

/// Channels of vectors, or columns of a table, that hold something else where the others are right:
/// by a reading that is meant, else by the one at hand, or one that was kept; of those the one that
/// leaves the fewest.
std::optional<PartReport> spoilt_part_of(const ProbedDump& dump,
                                         const std::vector<Attempt>& attempts,
                                         const std::vector<Attempt>& kept, const Attempt& attempt);

/// All columns of a table that is read as it is meant, each in another's place.
std::optional<PartReport> columns_elsewhere(const ProbedDump& dump,
                                            const std::vector<Attempt>& attempts);

}  // namespace pe
