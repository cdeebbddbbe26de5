// sandwich: the inner product of two positions' sinusoids, compressed more or less by head.
#include <fmt/format.h>

#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/twofold.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::heads(),
    row::dim("channels of the sinusoids", "128"),
    row::base("the last wavelength is 2π·base"),
    {.name = "causal",
     .type = Parameter::Type::flag,
     .help = "mask keys after the query (−inf); --symmetric punishes both sides",
     .fallback = "true",
     .negation = "symmetric"},
};

// θ_i = base^(−2i/dim), i = 1 … dim/2: the paper's sum starts at 1.
std::vector<Real> frequencies_of(const Parameters& parameters) {
  const Index dim = parameters.integer("dim");
  if (dim % 2 != 0)
    throw UsageError(
        fmt::format("--dim must be even for sandwich, got {}", parameters.spell("dim")));
  const Real ratio = pow(parameters.number("base").real(), Real(-2) / dim);
  std::vector<Real> frequencies{ratio};
  while (frequencies.size() < static_cast<std::size_t>(dim / 2))
    frequencies.push_back(frequencies.back() * ratio);
  return frequencies;
}

// Σ_i (cos(dθ_i) − 1) at distances first … first+count−1. cos((d+1)θ) = 2cos θ·cos(dθ) −
// cos((d−1)θ) loses at most a digit for each tenfold of count, of 120.
std::vector<Real> sums(const std::vector<Real>& frequencies, std::int64_t first, Index count) {
  std::vector<Real> sums(static_cast<std::size_t>(count), -Real(frequencies.size()));
  for (const Real& frequency : frequencies) {
    Real before = cos(frequency * (first - 1)), here = cos(frequency * first);
    const Real twice = 2 * cos(frequency);
    for (Real& sum : sums) {
      sum += here;
      Real next = twice * here - before;
      before = std::move(here);
      here = std::move(next);
    }
  }
  if (first == 0) sums[0] = 0;
  return sums;
}

// (Σ_{i=1}^{dim/2} cos((m−n)θ_i) − dim/2) / (8h/H), h = 1 … H (Chi et al. 2022: shifted so that the
// diagonal is 0, and compressed by head as ALiBi's slopes are spread).
Effect make(const Parameters& parameters, Index) {
  const Index heads = parameters.integer("heads");
  const std::vector<Real> frequencies = frequencies_of(parameters);
  std::vector<Real> compression;
  for (Index head = 1; head <= heads; ++head) compression.push_back(Real(8 * head) / heads);
  Bias bias = distance_bias(heads, parameters.flag("causal"),
                            [=](std::int64_t first, Index count, double* out) {
                              const std::vector<Real> common = sums(frequencies, first, count);
                              for (const Real& ratio : compression)
                                for (const Real& sum : common) *out++ = round_to_odd(sum / ratio);
                            });
  bias.series = {{"compression", {"head", first_positions(heads), "attention head"}, compression}};
  return bias;
}

std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.flag("causal") ? std::vector<std::string>{"symmetric", "finite"}
                                   : std::vector<std::string>{"causal"};
}

// (Σ cos(dθ) − n)/ratio: θ = base^-e as a float32 power is off by (2·e·ln base + 2)u, the angle by
// u more, and θ = 1 by nothing; each cosine by u; the sum of n, at most i behind i of them, by a
// rounding of that at each: all of these, or, as they have either sign, 4 times the root of the sum
// of their squares (Higham & Mary 2019).
Drift drift(const Parameters& parameters, const Effect& effect, const Reach&) {
  const auto& bias = std::get<Bias>(effect);
  const std::vector<Real> frequencies = frequencies_of(parameters);
  const auto pairs = static_cast<double>(frequencies.size());
  double sum = 0;
  for (const Real& frequency : frequencies) {
    const double theta = to_double(frequency);
    if (theta != 1) sum += theta * (3 + 2 * std::fabs(std::log(theta)));
  }
  const double steps = std::min(pairs * pairs, 4 * std::sqrt(pairs * pairs * pairs / 3));
  Drift drift(bias.heads,
              "float32 frequencies and angles, 2^-24·d·Σθ(3 + 2·ln 1/θ), and the sum of n cosines, "
              "(min(n², 4·√(n³/3)) + n)·2^-24, over the head's compression");
  for (std::size_t head = 0; head < drift.relative.size(); ++head) {
    const double ratio = 8 * static_cast<double>(head + 1) / static_cast<double>(bias.heads);
    drift.by_distance[head] = sum * half_ulp_f32 / ratio;
    drift.absolute[head] = (steps + pairs) * half_ulp_f32 / ratio;
    drift.relative[head] = 2 * half_ulp_f32;
  }
  return drift;
}

}  // namespace

extern constinit const Encoding sandwich{
    .name = "sandwich",
    .summary =
        "the inner product of the two positions' sinusoids as a bias, compressed more or less by "
        "head",
    .source = "Chi et al. 2022, arXiv:2212.10356; compression by head as in the code of NeMo",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy = "Biases are correctly rounded in f32, f16 and bf16, within 1 ulp in f64.",
    .claims = "correctly-rounded compression bias",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only toeplitz "
        "zero-diagonal causal symmetric",
    .example = "sandwich --heads 2 --length 8",
    .drift = &drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
