// Geometric ladders by one power and repeated multiplication: n steps lose n roundings,
// relatively: 10^-120 each in Real, 10^-16 in double.
#include "pe/model/frequencies.hpp"

#include <cmath>

namespace pe {

template <typename Number>
BasicLadder<Number> geometric_ladder(const Number& base, Index dim, Index pairs) {
  using std::exp;
  using std::log;
  BasicLadder<Number> ladder{.base = base, .dim = dim, .recipe = {.base = base, .dim = dim}};
  const Number ratio = exp(log(base) * -2 / static_cast<Number>(dim));
  Number frequency = 1;
  ladder.frequencies.reserve(static_cast<std::size_t>(pairs));
  for (Index pair = 0; pair < pairs; ++pair) {
    ladder.frequencies.push_back(frequency);
    frequency *= ratio;
  }
  return ladder;
}

template Ladder geometric_ladder(const Real& base, Index dim, Index pairs);
template BasicLadder<double> geometric_ladder(const double& base, Index dim, Index pairs);

std::vector<Real> endpoint_ladder(const Real& shortest, const Real& longest, Index pairs) {
  const Real ratio = pairs > 1 ? exp(log(shortest / longest) / (pairs - 1)) : Real(1);
  std::vector<Real> frequencies;
  Real frequency = 1 / shortest;
  for (Index pair = 0; pair < pairs; ++pair, frequency *= ratio) frequencies.push_back(frequency);
  return frequencies;
}

Real wavelength(const Real& frequency) { return 2 * real_pi() / frequency; }

}  // namespace pe
