// Functions of hidden units that stand where ReLU is meant.
#pragma once

#include <cmath>
#include <numbers>

#include "pe/model/perceptron.hpp"

namespace pe {

struct ActivationFormula {
  Activation of;
  const char* name;
};

inline constexpr ActivationFormula other_activations[] = {
    {[](double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }, "GELU"},
    {[](double x) {
       constexpr double cubic = 0.044715, inner = 0.7978845608028654;  // √(2/π)
       return x / 2 * (1 + std::tanh(inner * (x + cubic * x * x * x)));
     },
     "GELU by tanh"},
    {[](double x) { return x / (1 + std::exp(-x)); }, "SiLU"},
    {[](double x) { return std::tanh(x); }, "tanh"},
    {[](double x) { return 1 / (1 + std::exp(-x)); }, "the sigmoid"},
    {[](double x) { return x < 0 ? x / 100 : x; }, "LeakyReLU of slope 0.01"},
    {[](double x) { return x; }, "no function"},
};

}  // namespace pe
