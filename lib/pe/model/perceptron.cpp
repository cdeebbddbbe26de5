// One hidden layer.
#include "pe/model/perceptron.hpp"

#include <algorithm>
#include <cmath>

namespace pe {

Perceptron::Perceptron(const Parameters& parameters, Index inputs, Index hidden, Index outputs,
                       bool output_bias)
    : inputs_(inputs), hidden_(hidden), outputs_(outputs) {
  if (parameters.has("hidden-weight"))
    hidden_ =
        tensor_of(parameters, "hidden-weight", {{"hidden", 0}, {"input", inputs_}}).shape()[0];
  if (parameters.has("output-weight"))
    outputs_ =
        tensor_of(parameters, "output-weight", {{"head", 0}, {"hidden", hidden_}}).shape()[0];
  const double first = 1 / std::sqrt(static_cast<double>(inputs_)),
               second = 1 / std::sqrt(static_cast<double>(hidden_));
  const auto uniform = [&](std::string_view name, std::initializer_list<Extent> extents,
                           double scale) {
    return values_of(tensor_or_drawn(parameters, name, extents, Distribution::uniform, scale));
  };
  hidden_weight_ = uniform("hidden-weight", {{"hidden", hidden_}, {"input", inputs_}}, first);
  hidden_bias_ = uniform("hidden-bias", {{"hidden", hidden_}}, first);
  output_weight_ = uniform("output-weight", {{"head", outputs_}, {"hidden", hidden_}}, second);
  output_bias_ = output_bias ? uniform("output-bias", {{"head", outputs_}}, second)
                             : std::vector<double>(static_cast<std::size_t>(outputs_));
}

template <typename Number>
Number Perceptron::evaluate(Index output, std::span<const double> input,
                            Number (*activation)(Number sum)) const {
  auto sum = static_cast<Number>(output_bias_[static_cast<std::size_t>(output)]);
  const double* weight = output_weight_.data() + output * hidden_;
  for (Index unit = 0; unit < hidden_; ++unit) {
    auto value = static_cast<Number>(hidden_bias_[static_cast<std::size_t>(unit)]);
    for (Index i = 0; i < inputs_; ++i)
      value += static_cast<Number>(hidden_weight_[static_cast<std::size_t>(unit * inputs_ + i)]) *
               static_cast<Number>(input[static_cast<std::size_t>(i)]);
    sum += static_cast<Number>(weight[unit]) * activation(value);
  }
  return sum;
}

double Perceptron::operator()(Index output, std::span<const double> input,
                              Activation activation) const {
  return evaluate<double>(output, input, activation);
}

double Perceptron::roundoff(Index output, std::span<const double> input) const {
  const auto single = evaluate<float>(output, input, [](float sum) { return std::max(sum, 0.0F); });
  const double bias = output_bias_[static_cast<std::size_t>(output)];
  double squares = bias * bias;
  for (Index unit = 0; unit < hidden_; ++unit) {
    double value = std::fabs(hidden_bias_[static_cast<std::size_t>(unit)]);
    for (Index i = 0; i < inputs_; ++i)
      value += std::fabs(hidden_weight_[static_cast<std::size_t>(unit * inputs_ + i)] *
                         input[static_cast<std::size_t>(i)]);
    const double term = output_weight_[static_cast<std::size_t>(output * hidden_ + unit)] * value;
    squares += term * term;
  }
  return std::max(std::fabs(single - (*this)(output, input)), 0x1p-24 * std::sqrt(squares));
}

}  // namespace pe
