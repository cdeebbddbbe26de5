// Where each rounding of an exponent, an angle and a sum goes into the bounds.
#include "pe/analyze/base_bound/base_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/analyze/cosine_sums.hpp"

namespace pe {
namespace {

constexpr double u53 = 0x1p-53;
constexpr double margin = 1.001;  // of sums of up to 2^15 positive numbers, and of their products

}  // namespace

double BaseLadder::slope_bound(double distance, double back) const {
  return margin * distance * steepness * std::exp(back);  // θ_i(u − h) ≤ θ_i(u)·e^h, for a_i ≤ 1
}

// With x = mθ_i: d²cos(x)/du² = −a_i²(x sin x + x² cos x).
double BaseLadder::curvature(double distance, double back) const {
  return margin * distance * std::exp(back) * (bend + distance * bend_squared * std::exp(back));
}

BaseSums::BaseSums(Index dim) : dim_(dim) {
  for (Index i = 0; i < dim / 2; ++i)
    exponents_.push_back(static_cast<double>(2 * i) / static_cast<double>(dim));
}

// a_i and a_i·u are rounded, so the exponent is off by 2^−52·a_i·u at most; with two units for exp,
// one for the product with m and one for what is left, an angle mθ_i is off by 2^−53·(2a_i u + 5)
// of itself.
BaseLadder BaseSums::ladder(double u) const {
  BaseLadder ladder{.u = u, .frequencies = {}};
  const auto n = static_cast<double>(pairs());
  for (const double a : exponents_) {
    const double theta = std::exp(-a * u), off = u53 * (2 * a * u + 5);
    ladder.frequencies.push_back(theta);
    ladder.steepness += a * theta;
    ladder.bend += a * a * theta;
    ladder.bend_squared += a * a * theta * theta;
    ladder.angle += margin * theta * off;
    ladder.angle_slope[0] += margin * a * theta * (off + u53 * (n + 4));
    ladder.angle_slope[1] += margin * a * theta * theta * off;
  }
  return ladder;
}

double BaseSums::error(const BaseLadder& ladder, double distance, double each) const {
  return distance * ladder.angle + CosineSums::error(pairs(), each);
}

// Each cosine is within one unit, 2^−53, of that of its angle.
BaseValue BaseSums::at(const BaseLadder& ladder, Index distance) const {
  const auto m = static_cast<double>(distance);
  BaseValue found;
  for (std::size_t i = 0; i < exponents_.size(); ++i) {
    const double theta = ladder.frequencies[i];
    found.value += std::cos(m * theta);
    found.slope += exponents_[i] * theta * std::sin(m * theta);
  }
  found.slope *= m;
  found.error = error(ladder, m, u53);
  found.slope_error = m * (ladder.angle_slope[0] + m * ladder.angle_slope[1]);
  return found;
}

double BaseSums::floor(double u, Index distance, double first) const {
  const auto m = static_cast<double>(distance);
  double sum = 0;
  for (const double a : exponents_) {
    const double x = m * std::exp(-a * u);
    sum += x <= std::numbers::pi ? std::cos(x) : a == 0 ? first : -1;
  }
  // Angles here are at most π, each off by 2^−53·(2·710 + 5) of itself as long as e^u is a double.
  return sum - static_cast<double>(pairs()) * 0x1p-41;
}

Real BaseSums::root(double u, Index distance) const {
  Real root = u;
  for (int step = 0; step < 8; ++step) {
    Real value = 0, slope = 0;
    for (Index i = 0; i < pairs(); ++i) {
      const Real a = Real(2 * i) / dim_, angle = distance * exp(Real(-a * root));
      value += cos(angle);
      slope += a * angle * sin(angle);
    }
    const Real change = value / slope;
    root -= change;
    if (abs(change) < Real(1e-60)) break;
  }
  return root;
}

}  // namespace pe
