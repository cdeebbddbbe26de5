// A perceptron of one hidden layer with ReLU: what FIRE and Swin V2 turn a distance into a bias
// with.
#pragma once

#include <span>
#include <vector>

#include "pe/model/weights.hpp"

namespace pe {

/// What a hidden unit makes of its sum.
using Activation = double (*)(double sum);
inline double rectified(double sum) { return sum > 0 ? sum : 0; }

/// output(x) = W₂·max(0, W₁x + b₁) + b₂, in double; or with another function than max. Weights as
/// torch.nn.Linear stores them: W₁ [hidden, input], W₂ [output, hidden].
class Perceptron {
 public:
  /// From the parameters hidden-weight, hidden-bias, output-weight and output-bias (the last only
  /// where the schema has it), or drawn as torch.nn.Linear is: uniform on ±1/√(inputs of the
  /// layer). `hidden` and `outputs` hold where no weights are given.
  Perceptron(const Parameters& parameters, Index inputs, Index hidden, Index outputs,
             bool output_bias);

  Index outputs() const { return outputs_; }
  Index hidden() const { return hidden_; }
  double operator()(Index output, std::span<const double> input,
                    Activation activation = &rectified) const;
  /// What an evaluation with ReLU in float32, one term after the other, is off by; at least one
  /// rounding of the root of the sum of the squares of what is added, where they fall well.
  double roundoff(Index output, std::span<const double> input) const;

 private:
  template <typename Number>
  Number evaluate(Index output, std::span<const double> input,
                  Number (*activation)(Number sum)) const;

  Index inputs_, hidden_, outputs_;
  std::vector<double> hidden_weight_, hidden_bias_, output_weight_, output_bias_;
};

}  // namespace pe
