// Weights: a norm between vectors before and after, which multiplies each channel by a number of
// its own.
#pragma once

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// A norm that explains vectors which nothing else does: RMS norm (x/√(mean x² + ε)) of each vector
/// or of all heads together, layer norm ((x − mean)/√(variance + ε)) with weights and biases, or
/// weights alone, of all heads alike or of each, before the turn, behind it or in its place. Held
/// to 16 roundings of the vectors' own type in the meant turn; nothing where fewer than 8 vectors
/// show a weight.
std::optional<Reason> weights_between(const Expectation& expected, const Dump& dump,
                                      const RotationReading& reading, const RotationTruth& truth);

}  // namespace pe
