// The counter-based generator.
#include "pe/model/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/base/budget.hpp"
#include "pe/base/work.hpp"
#include "pe/model/weights.hpp"

namespace pe {

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ull + (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

double random_unit(std::uint64_t seed, std::uint64_t counter) {
  return (static_cast<double>(random_bits(seed, counter) >> 11) + 0.5) * 0x1p-53;
}

double random_normal(std::uint64_t seed, std::uint64_t counter) {
  return normal_quantile(random_unit(seed, counter));
}

// Newton steps on erfc from a coarse start.
double normal_quantile(double p) {
  const double tail = std::min(p, 1 - p), t = std::sqrt(-2 * std::log(tail));
  double x = t - (2.30753 + 0.27061 * t) /
                     (1 + t * (0.99229 + 0.04481 * t));  // Hastings 1955, error below 3e-3
  for (int step = 0; step < 3; ++step) {
    const double error = 0.5 * std::erfc(x / std::numbers::sqrt2) - tail;
    x += error / (std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi));
  }
  return p < 0.5 ? -x : x;
}

std::uint64_t random_stream(std::uint64_t seed, std::uint64_t tensor) {
  return random_bits(seed, ~tensor);  // counters from the far end, where no tensor's elements are
}

Array random_array(std::vector<Index> shape, double scale, std::uint64_t seed,
                   Distribution distribution) {
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  begin({.what = fmt::format("to draw {} numbers", size),
         .operations = static_cast<double>(size),
         .per_second = 5e6});
  std::vector<double> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 4096 == 0) ask_time();
    values[i] = scale * (distribution == Distribution::normal ? random_normal(seed, i)
                                                              : 2 * random_unit(seed, i) - 1);
  }
  return array_of(std::move(shape), values);
}

}  // namespace pe
