// What roundings and inputs that are off do to a perceptron's value.
#include "pe/encodings/perceptron_drift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pe/encodings/drift.hpp"

namespace pe {

double perceptron_drift(const Perceptron& perceptron, Index head, std::span<const double> input,
                        double off) {
  const double here = perceptron(head, input);
  double moved = 0;
  for (const int second : {1, -1}) {
    std::vector<double> there;
    for (const double x : input) there.push_back(x * (1 + (there.empty() ? off : second * off)));
    moved = std::max(moved, std::fabs(perceptron(head, there) - here));
  }
  return other_orders * perceptron.roundoff(head, input) + moved;
}

}  // namespace pe
