// kerple: a penalty that grows with the logarithm or a power of the distance, with two parameters
// for each head.
#include <fmt/format.h>

#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/twofold.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/model/random.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "kernel",
     .type = Parameter::Type::choice,
     .help = "log: −r1·ln(1 + r2·d); power: −r1·d^r2, d the distance",
     .fallback = "log",
     .choices = "log power"},
    row::heads(),
    {.name = "r1",
     .type = Parameter::Type::numbers,
     .help = "r1 > 0, one for each head or one for all; drawn from the seed when left out",
     .lowest = "1e-60",
     .highest = "1e60"},
    {.name = "r2",
     .type = Parameter::Type::numbers,
     .help = "r2 > 0 (power: at most 2), one for each head or one for all; drawn when left out",
     .lowest = "1e-60",
     .highest = "1e60"},
    {.name = "weights",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of trained parameters, [2, head]: r1, then r2"},
    {.name = "seed",
     .help = "seed of the draw: r1 from U(0, 2), r2 from U(0, 1), as training starts",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "causal",
     .type = Parameter::Type::flag,
     .help = "mask keys after the query (−inf); --symmetric punishes both sides",
     .fallback = "true",
     .negation = "symmetric"},
};

// The authors keep both parameters at or above this (`ParallelKerpleLog`, `ParallelKerplePower`).
const double least = 0.01;

std::vector<Real> given_of(const Parameters& parameters, std::string_view name, Index heads) {
  std::vector<Real> values;
  for (const Decimal& number : parameters.numbers(name)) values.push_back(number.real());
  if (values.size() == 1) values.resize(static_cast<std::size_t>(heads), values.front());
  if (values.size() != static_cast<std::size_t>(heads))
    throw UsageError(
        fmt::format("--{} takes one number, or one for each of the {} heads; got {}: {}", name,
                    heads, values.size(), parameters.spell(name)));
  return values;
}

// Row 0 (r1) or 1 (r2) of the weights, else the numbers given, else drawn.
std::vector<Real> parameter_of(const Parameters& parameters, Index row, Index heads) {
  const std::string name = row == 0 ? "r1" : "r2";
  std::vector<Real> values;
  if (parameters.has("weights")) {
    if (parameters.has(name))
      throw UsageError(
          fmt::format("--{} and --weights say the same thing: give one of them", name));
    for (Index head = 0; head < heads; ++head)
      values.emplace_back(parameters.tensor("weights").at(row * heads + head));
  } else if (parameters.has(name)) {
    values = given_of(parameters, name, heads);
  } else {
    const auto seed = static_cast<std::uint64_t>(parameters.integer("seed"));
    const double width = row == 0 ? 2 : 1;
    for (Index head = 0; head < heads; ++head)
      values.emplace_back(
          std::max(least, width * random_unit(random_stream(seed, static_cast<std::uint64_t>(row)),
                                              static_cast<std::uint64_t>(head))));
  }
  const bool power = parameters.choice("kernel") == "power" && row == 1;
  for (std::size_t head = 0; head < values.size(); ++head)
    if (!(values[head] > 0) ||
        (power &&
         values[head] >
             2))  // Chi et al. 2022, Corollary 1: only these are conditionally positive definite
      throw UsageError(fmt::format("{} must be above 0{}, got {} for head {}", name,
                                   power ? " and at most 2" : "", values[head].str(9), head));
  return values;
}

Index heads_of(const Parameters& parameters) {
  if (!parameters.has("weights")) return parameters.integer("heads");
  const Array& weights = parameters.tensor("weights");
  if (weights.rank() != 2 || weights.shape()[0] != 2 || weights.size() == 0)
    throw UsageError(fmt::format("--weights must be [2, head], r1 and r2; got {} in {}",
                                 spell_shape(weights.shape()), parameters.spell("weights")));
  return weights.shape()[1];
}

// Chi et al. 2022, eqs. 5 and 6, at distance d.
Effect make(const Parameters& parameters, Index) {
  const Index heads = heads_of(parameters);
  const bool power = parameters.choice("kernel") == "power";
  const std::vector<Real> r1 = parameter_of(parameters, 0, heads),
                          r2 = parameter_of(parameters, 1, heads);
  Bias bias = distance_bias(
      heads, parameters.flag("causal"), [=](std::int64_t first, Index count, double* out) {
        for (Index head = 0; head < heads; ++head) {
          const Real &a = r1[static_cast<std::size_t>(head)],
                     &b = r2[static_cast<std::size_t>(head)];
          for (Index i = 0; i < count; ++i) {
            const Real distance = first + i;
            const Real value = power ? Real(a * pow(distance, b)) : Real(a * log(1 + b * distance));
            *out++ = distance == 0 ? 0 : round_to_odd(-value);
          }
        }
      });
  const Axis axis{"head", first_positions(heads), "attention head"};
  bias.series = {{"r1", axis, r1}, {"r2", axis, r2}};
  return bias;
}

std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.flag("causal") ? std::vector<std::string>{"symmetric", "finite"}
                                   : std::vector<std::string>{"causal"};
}

// −r1·ln(1 + r2·d): r2 and the product off by u each, the sum by u, so that the logarithm is off by
// 3u; the logarithm, r1 and the product by 5u of the whole. −r1·d^r2: r2's rounding turns into
// r2·ln d·u.
Drift drift(const Parameters& parameters, const Effect& effect, const Reach& reach) {
  const bool power = parameters.choice("kernel") == "power";
  const auto& bias = std::get<Bias>(effect);
  const std::vector<Real>&r1 = bias.series[0].values, &r2 = bias.series[1].values;
  Drift drift(bias.heads,
              power ? "(5 + r2·ln d)·2^-24 of the bias: the exponent, the power, r1 and the "
                      "product in float32"
                    : "5·2^-24 of the bias and 3·2^-24·r1: ln(1 + r2·d), r1 and the product in "
                      "float32");
  for (std::size_t head = 0; head < drift.relative.size(); ++head) {
    const double farther = to_double(r2[head]) * std::log(reach.farthest + 1);
    drift.relative[head] = (power ? 5 + farther : 5) * half_ulp_f32;
    drift.absolute[head] = power ? 0 : 3 * to_double(r1[head]) * half_ulp_f32;
  }
  return drift;
}

}  // namespace

extern constinit const Encoding kerple{
    .name = "kerple",
    .also = "kernelized kernelised",
    .summary =
        "a penalty logarithmic in the distance, or a power of it, with parameters of its own for "
        "each head",
    .source = "Chi et al. 2022, arXiv:2205.09921, and the authors' initialisation",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy =
        "Biases are correctly rounded in f32, f16 and bf16, within 1 ulp in f64, for the "
        "parameters as given.",
    .claims = "correctly-rounded bias; drawn:r1|weights,r2|weights bias r1 r2",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only toeplitz "
        "zero-diagonal falls-with-distance causal symmetric",
    .example = "kerple --r1 1 --r2 0.5 --heads 2 --length 8",
    .drift = &drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
