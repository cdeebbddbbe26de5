// Turn verdict: the numbers, bounds, notes and arithmetic of a verdict on turns.
#pragma once

#include "pe/diagnosis/turn_attempts.hpp"
#include "pe/diagnosis/turn_tally.hpp"

namespace pe {

/// Whose arithmetic it is, or of which precision.
std::string arithmetic_of(const TurnWorld& world, const TurnTally& tally, Tier tier);

/// Equivalences, and what the dump cannot show.
void add_notes(const Expectation& expected, const Attempt& attempt, const Wanted& wanted,
               Diagnosis& diagnosis);

/// Every row, or the one vector of frequencies.
TurnTally tally_of(const TurnWorld& world, const Dump& dump, const Attempt& attempt);

/// The numbers into the diagnosis, with the bound's derivation.
void take_tally(const TurnTally& tally, const TurnWorld& world, Diagnosis& diagnosis);

/// Where the first NaN or infinity stands.
Reason not_finite(const TurnTally& tally);

/// Fewer rows than are meant; nothing where there are enough.
std::optional<Reason> too_short(const Expectation& expected, const TurnReading& reading);

/// Columns that should be equal and are not; nothing where they are.
std::optional<Reason> copies_differ(const TurnTally& tally);

}  // namespace pe
