// Weights that went through a function of the other form of their encoding.
#include <algorithm>
#include <cmath>

#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

// Swin v2's bias is 16·σ(x) of its network's output x (Liu et al. 2022, eq. 4 and their code).
constexpr double largest = 16;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Function {
  double (*of)(double meant);
  const char* sentence;
};

constexpr Function functions[] = {
    {[](double x) { return largest * sigmoid(x); },
     "values are 16·sigmoid of the weights, as Swin v2 makes them, where the weights are meant"},
    {sigmoid, "values are the sigmoid of the weights, where the weights are meant"},
    {[](double x) { return std::fabs(x); }, "values have lost their sign"},
};

constexpr Function of_continuous[] = {
    {[](double x) { return std::log(x / (largest - x)); },
     "values are the network's output: 16·sigmoid of it is meant"},
    {[](double x) { return std::tanh(std::log(x / (largest - x))); },
     "values are tanh of the network's output, where 16·sigmoid of it is meant"},
};

}  // namespace

BiasProposals offer_functions(const BiasObservation& observation,
                              const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  const Bias& bias = *observation.bias;
  if (!bias.buckets || !bias.fill || !is_first(observation, hypothesis)) return proposals;
  const Parameters& parameters = observation.expected->parameters;
  const bool is_continuous = parameters.has("form") && parameters.choice("form") == "continuous";
  const auto offer = [&](const Function& function) {
    proposals.push_back(
        {of_values(hypothesis,
                   [of = function.of](Index, double, double meant) { return of(meant); }),
         function.sentence, 1.05});
  };
  if (is_continuous) std::ranges::for_each(of_continuous, offer);
  std::ranges::for_each(functions, offer);
  return proposals;
}

}  // namespace pe
