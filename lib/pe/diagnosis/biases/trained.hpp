// Trained biases whose weights were not given: whether one value stands for each bucket of each
// head.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Weights were given.
bool has_given_weights(const Expectation& expected);

/// Nobody gave the weights of a bias, nor a seed to draw them with: no dump holds those drawn.
bool has_drawn_weights(const Expectation& expected);

/// Of a bias with buckets and without weights; `array` is [head, query, key] of real numbers, axes
/// of one left out as may be. The values of a bucket are copies of one weight, so they must be
/// equal; masked keys (−inf or below −1000) tell nothing. Queries are the last of the keys.
Diagnosis diagnose_trained_bias(const Expectation& expected, const Stored& array);

}  // namespace pe
