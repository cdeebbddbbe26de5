// Independent sets of paths, counted by their generating function.
//
// Positions that are r apart make r paths, of ⌊N/r⌋ or ⌈N/r⌉ positions each. Draws without a pair
// are the sets of L positions, no two neighbours on a path: their number is the coefficient of x^L
// in Π P_n(x), where P_n = P_{n−1} + x·P_{n−2} counts the sets of a path of n. At any x₀ > 0 that
// is Π P_n(x₀) · x₀^−L times the chance that independent sizes, of weights x₀^size, add up to L; x₀
// is chosen so that L is their mean, and the chance is a Fourier sum of some 24 standard
// deviations.
#include "pe/analyze/exposure/randpos.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace pe {
namespace {

using Wide = long double;
using Complex = std::complex<Wide>;

// The roots of λ² = λ + x: P_n = (λ₁^(n+2) − λ₂^(n+2)) / (λ₁ − λ₂).
template <typename Number>
Number log_sets(const Number& x, Index n) {
  using std::log;
  using std::pow;
  using std::sqrt;
  const Number root = sqrt(Wide(1) + Wide(4) * x), large = (Wide(1) + root) / Wide(2),
               quotient = (Wide(1) - root) / (Wide(1) + root);
  return static_cast<Wide>(n + 2) * log(large) + log(Wide(1) - pow(quotient, Wide(n + 2))) -
         log(root);
}

// x · d ln P_n / dx.
Wide mean_size(Wide x, Index n) {
  const Wide root = std::sqrt(1 + 4 * x), quotient = (1 - root) / (1 + root);
  const auto power = static_cast<Wide>(n + 2);
  const Wide slope = power / root * 2 / (1 + root) * (1 + std::pow(quotient, power - 1)) /
                     (1 - std::pow(quotient, power));
  return x * (slope - 2 / (root * root));
}

// The paths: `longer` ones have one position more than the `shorter`.
struct Paths {
  Paths(Index all, Index distance)
      : size(all / distance), longer(all % distance), shorter(distance - longer) {}
  Index size, longer, shorter;

  Index most() const { return longer * ((size + 2) / 2) + shorter * ((size + 1) / 2); }
  Wide mean(Wide x) const {
    return static_cast<Wide>(longer) * mean_size(x, size + 1) +
           static_cast<Wide>(shorter) * mean_size(x, size);
  }
  template <typename Number>
  Number log_all(const Number& x) const {
    return static_cast<Wide>(longer) * log_sets(x, size + 1) +
           static_cast<Wide>(shorter) * log_sets(x, size);
  }
};

// ln of the x₀ at which `drawn` is the mean.
Wide tilt(const Paths& paths, Index drawn) {
  Wide low = -50, high = 50;
  for (int i = 0; i < 36; ++i) {  // to 10^−9: any x₀ near it serves
    const Wide middle = (low + high) / 2;
    (paths.mean(std::exp(middle)) < static_cast<Wide>(drawn) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double chance_of_distance(Index all, Index drawn, Index distance, long double& log_tilt) {
  const Paths paths(all, distance);
  if (drawn > paths.most()) return 1;
  const auto choose = [](Index n, Index k) {
    return std::lgamma(static_cast<Wide>(n + 1)) - std::lgamma(static_cast<Wide>(k + 1)) -
           std::lgamma(static_cast<Wide>(n - k + 1));
  };
  const Wide log_draws = choose(all, drawn);
  // ln of a bound of the chance of no pair, whatever x₀ is: below half a unit in the last place of
  // 1 there is nothing to compute, and the x₀ of another distance mostly tells.
  const auto log_bound_at = [&](Wide at) {
    return paths.log_all(std::exp(at)) - static_cast<Wide>(drawn) * at - log_draws;
  };
  if (log_bound_at(log_tilt) < -45) return 1;
  log_tilt = tilt(paths, drawn);
  const Wide log_bound = log_bound_at(log_tilt);
  if (log_bound < -45) return 1;
  const Wide x = std::exp(log_tilt), whole = paths.log_all(x);
  const Wide spread =
      std::sqrt(std::max<Wide>(0, (paths.mean(x * Wide(1.001)) - paths.mean(x / Wide(1.001))) /
                                      (2 * std::log(Wide(1.001)))));
  // Odd: the Fourier sum never meets λ₁ = λ₂ at −x₀.
  const Index nodes = std::min(paths.most() + 1, static_cast<Index>(24 * spread) + 60) | 1;
  Wide sum = 1;  // the angle 0; those of ±t are conjugates
  for (Index t = 1; t <= (nodes - 1) / 2; ++t) {
    const Wide angle =
        2 * std::numbers::pi_v<Wide> * static_cast<Wide>(t) / static_cast<Wide>(nodes);
    const Complex term = paths.log_all(x * std::exp(Complex(0, angle))) - whole -
                         Complex(0, angle * static_cast<Wide>(drawn));
    // A path has no claw, so all roots of Π P_n are real (Chudnovsky & Seymour 2007): the size is a
    // sum of independent bits, and |Σ| falls from here on.
    if (term.real() < -60) break;
    sum += 2 * std::exp(term).real();
  }
  const Wide none = std::exp(log_bound) * sum / static_cast<Wide>(nodes);
  return static_cast<double>(std::clamp<Wide>(1 - none, 0, 1));
}

}  // namespace pe
