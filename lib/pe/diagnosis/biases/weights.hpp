// Weights of a trained bias, each of which stands where it is meant or elsewhere.
#pragma once

#include <optional>

#include "pe/diagnosis/biases/observation.hpp"

namespace pe {

/// What is wrong with the weights of a bias whose buckets are those that are meant: rows of the
/// table that hold zeros, one another's weights, or other numbers. Nothing where a bucket of a head
/// holds several numbers.
std::optional<Reason> other_weights(const Expectation& expected, const BiasObservation& observation,
                                    const Stored& array);

}  // namespace pe
