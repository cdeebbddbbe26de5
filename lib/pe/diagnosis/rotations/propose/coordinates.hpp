// Coordinates: where the rows of a dump stand on each of several axes, as its own phases tell.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// Axes that pairs turn with, or that have a table each; 1 where there is one.
std::size_t axes_of(const RotationObservation& observation, const RotationHypothesis& hypothesis);

/// How far each place's coordinates lie from those that are meant, [place][axis]; NaN where an
/// axis's fastest pair cannot tell neighbours apart.
using Offsets = std::vector<std::vector<double>>;

/// Coordinates that are off by constants, everywhere or from place to place, or stand in another
/// order.
RotationProposals coordinates_elsewhere(const RotationObservation& observation,
                                        const RotationHypothesis& hypothesis);

/// A few rows that hold those of others, all others as they are meant.
RotationProposals held_rows(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis, const Offsets& offsets);

/// The parameters that say where rows stand, told otherwise: how far frames are apart, and where
/// text goes on behind a picture.
RotationProposals places_by_setting(const RotationObservation& observation,
                                    const RotationHypothesis& hypothesis);

/// Of frequencies without rows: those that another convention has.
RotationProposals ladders_of_conventions(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis);

/// An axis, or several, whose coordinates follow another rule than the one that is meant.
RotationProposals axes_by_rule(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis, const Offsets& offsets);

/// Axes whose coordinates lie on another line over those that are meant, whole or not.
RotationProposals axes_on_lines(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis);

/// The same cells in another order.
RotationProposals cells_permuted(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis, const Offsets& offsets);

/// Another part of the grid that a mask left to be counted.
RotationProposals other_mask(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis);

}  // namespace pe
