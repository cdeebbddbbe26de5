// Turns of unknown make: the readings that hold water, and the candidates that agree with them.
#pragma once

#include "pe/diagnosis/identify/ladder.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// How far identification goes: to tables that hold for every value as they are, to those that hold
/// but for a rounding, or on to faults of those that come near and to lists of numbers, which fit
/// any ladder.
enum class Admit { held_tables, whole_tables, faults_and_lists };

/// Nothing where no reading of the arrays looks like turns at all; an identification without an
/// encoding where it does and no ladder is known that agrees.
std::optional<Identification> identify_turns(const Dump& dump, const std::string& layout,
                                             Admit admit = Admit::faults_and_lists);

/// The same of a table that holds for every value, with nothing wrong about it; nothing of another,
/// or of arrays that cannot be read so.
std::optional<Identification> identify_whole_turns(const Dump& dump, const std::string& layout);

/// A longrope cache of one array that holds the table of the short factors and behind it, from
/// position 0 on, that of the long ones, as vLLM stacks them; nothing of any other.
std::optional<Identification> identify_stacked(const Dump& dump, const std::string& layout);

/// Vectors whose every row holds several heads that turn alike, side by side, with an axis of
/// heads; any others as they are.
Dump with_heads_apart(const Dump& dump);

/// Vectors [block, place, …] whose positions run on from block to block, as a paged cache in order
/// keeps them, that hold for every value.
std::optional<Identification> identify_blocks(const Dump& dump, const std::string& layout);

/// What is said of a candidate that agrees: summary, alternatives, command.
void tell_ladder(const Candidate& candidate, const Expectation& expected,
                 const RotationReading& reading, const Dump& dump, Identification& found);

}  // namespace pe
