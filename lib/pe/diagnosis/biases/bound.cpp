// How far a float32 evaluation of a bias may lie from the real number, term by term.
#include <fmt/format.h>

#include <cmath>

#include "pe/base/decimal.hpp"
#include "pe/diagnosis/biases/observation.hpp"
#include "pe/model/perceptron.hpp"

namespace pe {
namespace {

constexpr double u = 0x1p-24;

BiasBound exact_bound(Index heads, std::string derivation) {
  const std::vector<double> none(static_cast<std::size_t>(heads), 0.0);
  return {none, none, none, std::move(derivation)};
}

// 2^(−8h/n) as a float32 power: the base 2^(−8/n) is off by u, its power h by h·u, the power
// function by 2u; the product with the distance by u. The second ladder's powers 2(head − power) +
// 1 are no greater than the head's number.
BiasBound linear_bound(Index heads) {
  BiasBound bound = exact_bound(heads,
                                "(h + 3)·2^-24 of the bias, h the head's number from 1: the "
                                "slope's base rounded and raised to at most h, the power "
                                "function, the product; and one rounding to the dump's type");
  for (Index head = 0; head < heads; ++head)
    bound.relative[static_cast<std::size_t>(head)] = (static_cast<double>(head) + 4) * u;
  return bound;
}

const Series* series_of(const Bias& bias, std::string_view name) {
  for (const Series& series : bias.series)
    if (series.name == name) return &series;
  return nullptr;
}

// −r1·ln(1 + r2·d): r2 and the product off by u each, the sum by u, so that the logarithm is off by
// 3u; the logarithm, r1 and the product by 5u of the whole. −r1·d^r2: r2's rounding turns into
// r2·ln d·u.
BiasBound kerple_bound(const Expectation& expected, const Bias& bias, double distance) {
  const bool power = expected.parameters.choice("kernel") == "power";
  BiasBound bound = exact_bound(bias.heads, "");
  for (std::size_t head = 0; head < bound.relative.size(); ++head) {
    const double r1 = to_double(series_of(bias, "r1")->values[head]),
                 r2 = to_double(series_of(bias, "r2")->values[head]);
    bound.relative[head] = power ? (5 + r2 * std::log(distance + 1)) * u : 5 * u;
    bound.absolute[head] = power ? 0 : 3 * r1 * u;
  }
  bound.derivation =
      power ? "(5 + r2·ln d)·2^-24 of the bias: the exponent, the power, r1 and the product in "
              "float32"
            : "5·2^-24 of the bias and 3·2^-24·r1: ln(1 + r2·d), r1 and the product in float32";
  return bound;
}

// (Σ cos(dθ) − n)/ratio: θ as a float32 power is off by (ln base + 2)u, the angle by u more, each
// cosine by u, the sum of n by n·u each.
BiasBound sandwich_bound(const Expectation& expected, const Bias& bias) {
  const auto pairs = static_cast<double>(expected.parameters.integer("dim")) / 2;
  const double base = to_double(expected.parameters.number("base").real()),
               logarithm = std::fabs(std::log(base));
  double frequencies = 0;
  for (int i = 1; i <= static_cast<int>(pairs); ++i) frequencies += std::pow(base, -i / pairs);
  BiasBound bound = exact_bound(bias.heads,
                                "float32 frequencies and angles, (ln base + 3)·2^-24·d·Σθ, and the "
                                "sum of n cosines, (n² + n)·2^-24, over the head's compression");
  for (std::size_t head = 0; head < bound.relative.size(); ++head) {
    const double ratio = to_double(series_of(bias, "compression")->values[head]);
    bound.by_distance[head] = frequencies * (logarithm + 3) * u / ratio;
    bound.absolute[head] = (pairs * pairs + pairs) * u / ratio;
    bound.relative[head] = 2 * u;
  }
  return bound;
}

// A perceptron of n hidden units in float32: its sums are off by (n + 6)u of the sum M of its
// terms' magnitudes. FIRE's argument ψ(d)/ψ(max(L, i)) comes of logarithms that are off by 3u +
// 2u·ψ (as kerple's), so itself by (6/ψ(L) + 6)u, which M carries on.
BiasBound fire_bound(const Expectation& expected, const Bias& bias, double distance) {
  const Parameters& parameters = expected.parameters;
  const Perceptron perceptron(parameters, 1, parameters.integer("hidden"), bias.heads, true);
  const double c = to_double(parameters.number("c").real()),
               threshold = to_double(parameters.number("threshold").real());
  const double least = std::log1p(c * std::max(1.0, threshold)),
               most = std::max(1.0, bias.causal ? 1.0 : std::log1p(c * distance) / least);
  BiasBound bound = exact_bound(bias.heads,
                                "(hidden + 6 + (6/ψ(L) + 6)·x)·2^-24 of the sum of the magnitudes "
                                "of the perceptron's terms at the largest argument x");
  for (Index head = 0; head < bias.heads; ++head)
    bound.absolute[static_cast<std::size_t>(head)] =
        (static_cast<double>(perceptron.hidden()) + 6 + (6 / least + 6) * most) * u *
        perceptron.magnitude(head, std::span(&most, 1));
  return bound;
}

// 16·σ of a perceptron of two coordinates, which are off by 8u each: the slope of 16·σ is at
// most 4.
BiasBound continuous_bound(const Expectation& expected, const Bias& bias) {
  const Perceptron perceptron(expected.parameters, 2, expected.parameters.integer("hidden"),
                              bias.heads, false);
  const double corner[] = {to_double(series_of(bias, "coordinate_h")->values.back()),
                           to_double(series_of(bias, "coordinate_w")->values.back())};
  BiasBound bound = exact_bound(bias.heads,
                                "4·(hidden + 14)·2^-24 of the sum of the magnitudes of the "
                                "perceptron's terms at the corner, and 8·2^-24 of the bias");
  for (Index head = 0; head < bias.heads; ++head) {
    bound.absolute[static_cast<std::size_t>(head)] =
        4 * (static_cast<double>(perceptron.hidden()) + 14) * u *
        perceptron.magnitude(head, corner);
    bound.relative[static_cast<std::size_t>(head)] = 8 * u;
  }
  return bound;
}

// TUPE's products of projections: float32 sums whose terms are taken to be no larger than the
// largest bias.
BiasBound product_bound(const Bias& bias, double distance) {
  constexpr double terms = 1024;
  BiasBound bound = exact_bound(
      bias.heads,
      fmt::format("{}·2^-24 of the largest bias: float32 sums of up to {} terms of that size",
                  terms, terms));
  const double places = bias.rows ? static_cast<double>(*bias.rows) : distance;
  std::vector<double> row(static_cast<std::size_t>(std::min({distance, places, 256.0})));
  const auto count = static_cast<Index>(row.size());
  for (Index head = 0; head < bias.heads; ++head) {
    bias.fill(head, count - 1, {0, 1, count, 0}, DType::f64,
              reinterpret_cast<std::byte*>(row.data()));
    for (const double value : row)
      if (std::isfinite(value))
        bound.absolute[static_cast<std::size_t>(head)] =
            std::max(bound.absolute[static_cast<std::size_t>(head)], terms * u * std::fabs(value));
  }
  return bound;
}

}  // namespace

BiasBound bias_bound(const Expectation& expected, const Bias& bias, Index heads, double distance) {
  const std::string_view name = expected.encoding->name;
  if (!bias.slopes.empty()) return linear_bound(std::max(heads, bias.heads));
  if (name == "kerple") return kerple_bound(expected, bias, distance);
  if (name == "sandwich") return sandwich_bound(expected, bias);
  const bool continuous = name == "swin" && expected.parameters.choice("form") == "continuous";
  if (bias.buckets && name != "tupe" && !continuous) {
    BiasBound bound =
        exact_bound(bias.heads, "one rounding of a weight to float32 and one to the dump's type");
    bound.relative.assign(bound.relative.size(), u);
    return bound;
  }
  if (name == "fire") return fire_bound(expected, bias, distance);
  if (continuous) return continuous_bound(expected, bias);
  return product_bound(bias, distance);
}

}  // namespace pe
