// Drift of biases that a perceptron makes.
#pragma once

#include <span>

#include "pe/base/real.hpp"
#include "pe/model/perceptron.hpp"

namespace pe {

/// How far a head's value may lie from the exact one where the perceptron is evaluated in float32,
/// at inputs that are off by that part of themselves, in one sense or in two: `other_orders` times
/// one evaluation's rounding, and what the inputs put it off by.
double perceptron_drift(const Perceptron& perceptron, Index head, std::span<const double> input,
                        double off);

}  // namespace pe
