// The causes that a dump of turns can show, by what they change.
#pragma once

#include <span>

#include "pe/diagnosis/rotations/observation.hpp"
#include "pe/diagnosis/rotations/reach.hpp"

namespace pe {

using RotationProposer = Proposer<RotationObservation>;
using RotationProposals = std::vector<Proposal<RotationHypothesis>>;

std::span<const RotationProposer> order_causes();         // direction, sides, pairing
std::span<const RotationProposer> pair_causes();          // single pairs
std::span<const RotationProposer> amplitude_causes();     // the attention factor
std::span<const RotationProposer> ladder_causes();        // base, denominator, exponent
std::span<const RotationProposer> scaling_causes();       // the scaling and its parameters
std::span<const RotationProposer> position_causes();      // which position a row stands for
std::span<const RotationProposer> row_marks();            // rows that hold something else
std::span<const RotationProposer> axis_causes();          // several axes
std::span<const RotationProposer> storage_causes();       // of values: types too short for them
std::span<const RotationProposer> precision_causes();     // of what they are made of
std::span<const RotationProposer> trigonometry_causes();  // cosines that are no cosines
std::span<const RotationProposer> vector_causes();        // axes and scales of vectors

/// All of them, in the order in which explanations of equal cost are preferred.
const std::vector<RotationProposer>& turn_causes();

/// The hypothesis with parameters told otherwise beside those it tells already: frequencies and
/// amplitude of the effect made again. Nothing where the encoding refuses them or nothing changes.
std::optional<RotationHypothesis> remade(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis,
                                         const Settings& changes);

/// A number, or a word, among the parameters as the hypothesis has them; 0 and "" where it is
/// absent.
double number_of(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                 const std::string& name);
std::string word_of(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                    const std::string& name);
/// "4 (config factor)": the value that is meant.
std::string meant(const RotationObservation& observation, const std::string& name);

}  // namespace pe
