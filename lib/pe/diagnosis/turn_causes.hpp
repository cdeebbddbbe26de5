// The causes that a dump of turns can show, by what they change.
#pragma once

#include <span>

#include "pe/diagnosis/turn_world.hpp"

namespace pe {

using TurnCause = Cause<TurnWorld>;
using TurnProposals = std::vector<Proposal<TurnStory>>;

std::span<const TurnCause> order_causes();      // direction, sides, pairing
std::span<const TurnCause> amplitude_causes();  // the attention factor
std::span<const TurnCause> ladder_causes();     // base, denominator, exponent
std::span<const TurnCause> scaling_causes();    // the scaling and its parameters
std::span<const TurnCause> position_causes();   // which position a row stands for
std::span<const TurnCause> row_marks();         // rows that hold something else
std::span<const TurnCause> axis_causes();       // several axes
std::span<const TurnCause> precision_causes();  // types that are too short

/// All of them, in the order in which explanations of equal cost are preferred.
const std::vector<TurnCause>& turn_causes();

/// The story with parameters told otherwise beside those it tells already: frequencies and
/// amplitude of the effect made again. Nothing where the encoding refuses them or nothing changes.
std::optional<TurnStory> remade(const TurnWorld& world, const TurnStory& story,
                                const Given& changes);

/// The text of a parameter as the story has it; "" where it is absent.
std::string text_of(const TurnWorld& world, const TurnStory& story, const std::string& name);
/// "4 (config factor)": the value that is meant.
std::string meant(const TurnWorld& world, const std::string& name);

}  // namespace pe
