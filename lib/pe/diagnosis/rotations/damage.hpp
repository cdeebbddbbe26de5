// Damage: rows of turns that no turn explains, whatever the angles are.
#pragma once

#include <optional>
#include <vector>

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// Which of some rows have a few pairs that lie off the circle of all others: √(cos² + sin²) is not
/// the amplitude, to 8 roundings of the file's type; of vectors, most of a foreign row's, too.
/// Ascending. Nothing where one side alone is there, or pairs have scales.
std::vector<Index> rows_off_circle(const RotationObservation& observation, const Dump& dump,
                                   const std::vector<Index>& rows);

/// The probes that are so, where they are few: no hypothesis has to explain them.
std::vector<Index> damaged_probes(const RotationObservation& observation, const Dump& dump);

/// So many rows may be damaged beside a hypothesis.
constexpr Index most_damaged_rows = 7;

/// Whether the rows that refute a hypothesis are a few, none of which is of turns at all.
bool are_damaged(const RotationObservation& observation, const Dump& dump,
                 const std::vector<Index>& refuted);

/// What a few wrong rows among many right ones hold, where that is one another's turns: rows that
/// were exchanged look like damage. Nothing where any holds something else.
std::optional<Reason> exchanged_rows(const RotationObservation& observation, const Dump& dump,
                                     const std::vector<Index>& wrong);

/// "row 32 holds values that are none of these".
Reason damaged_rows(const std::vector<Index>& rows);

}  // namespace pe
