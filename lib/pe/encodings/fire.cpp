// fire: a small perceptron of the distance, normalised by how far the query itself has come.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/perceptron_drift.hpp"
#include "pe/model/perceptron.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::heads("attention heads, where no weights are given"),
    {.name = "hidden",
     .help = "hidden units, where no weights are given",
     .fallback = "32",
     .lowest = "1",
     .highest = "65536"},
    {.name = "c",
     .type = Parameter::Type::number,
     .help = "ψ(x) = ln(1 + c·x)",
     .fallback = "0.1",
     .lowest = "1e-60",
     .highest = "1e60"},
    {.name = "threshold",
     .type = Parameter::Type::number,
     .help = "L: queries before it are normalised by it (DAPE's Megatron: 256)",
     .fallback = "512",
     .lowest = "0",
     .highest = "1e60"},
    {.name = "eps",
     .type = Parameter::Type::number,
     .help = "added to the normaliser",
     .fallback = "1e-6",
     .lowest = "0",
     .highest = "1"},
    {.name = "hidden-weight",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor], mlp.0.weight, [hidden, 1]"},
    {.name = "hidden-bias",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor], mlp.0.bias, [hidden]"},
    {.name = "output-weight",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor], mlp.2.weight, [head, hidden]"},
    {.name = "output-bias",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor], mlp.2.bias, [head]"},
    {.name = "seed",
     .help = "seed of what is not given, drawn as torch.nn.Linear is",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "causal",
     .type = Parameter::Type::flag,
     .help = "mask keys after the query (−inf); --symmetric takes |i − j|",
     .fallback = "true",
     .negation = "symmetric"},
};

// B(h,i,j) = f_h(ψ(|i−j|) / (ψ(max(L, i)) + eps)), ψ(x) = ln(1 + c·x), f a perceptron (Li et al.
// 2024, and code).
Effect make(const Parameters& parameters, Index) {
  const Real c = parameters.number("c").real(), threshold = parameters.number("threshold").real(),
             eps = parameters.number("eps").real();
  const Perceptron perceptron(parameters, 1, parameters.integer("hidden"),
                              parameters.integer("heads"), true);
  const bool causal = parameters.flag("causal");
  Bias bias{
      .heads = perceptron.outputs(), .causal = causal, .slopes = {}, .buckets = {}, .fill = {}};
  bias.argument = [=](std::int64_t query, std::int64_t key) -> Real {
    const Real farthest = std::max(threshold, Real(std::abs(query)));
    const Real normaliser = log(1 + c * farthest) + eps;
    return query == key ? Real(0) : Real(log(1 + c * std::abs(query - key)) / normaliser);
  };
  const double rate = to_double(c), least = to_double(threshold), extra = to_double(eps);
  bias.fill = [=](Index head, std::int64_t query, const PositionRange& keys, DType dtype,
                  std::byte* out) {
    std::vector<double> row(static_cast<std::size_t>(keys.count));
    const double normaliser =
        std::log1p(rate * std::max(least, std::fabs(static_cast<double>(query)))) + extra;
    for (Index i = 0; i < keys.count; ++i) {
      const std::int64_t distance = query - keys.at(i);
      double& value = row[static_cast<std::size_t>(i)];
      if (causal && distance < 0) {
        value = -HUGE_VAL;
        continue;
      }
      const double argument =
          distance == 0 ? 0
                        : std::log1p(rate * static_cast<double>(std::abs(distance))) / normaliser;
      value = perceptron(head, std::span(&argument, 1));
    }
    narrow(row, dtype, out);
  };
  return bias;
}

std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.flag("causal") ? std::vector<std::string>{"finite"}
                                   : std::vector<std::string>{"causal"};
}

// A perceptron in float32, of an argument ψ(d)/ψ(max(L, i)) whose logarithms are off by 3u + 2u·ψ,
// so itself by (6/ψ(L) + 6)u.
Drift drift(const Parameters& parameters, const Effect& effect, const Reach& reach) {
  const auto& bias = std::get<Bias>(effect);
  const Perceptron perceptron(parameters, 1, parameters.integer("hidden"), bias.heads, true);
  const double c = to_double(parameters.number("c").real()),
               threshold = to_double(parameters.number("threshold").real());
  const double least = std::log1p(c * std::max(1.0, threshold)),
               most = std::max(1.0, bias.causal ? 1.0 : std::log1p(c * reach.farthest) / least);
  Drift drift(bias.heads, fmt::format("{} times what the perceptron in float32 is off by and what "
                                      "arguments that are (6/ψ(L) + 6)·2^-24·x off put it off by, "
                                      "at its worst over some arguments x",
                                      other_orders));
  constexpr int places = 64;
  for (Index head = 0; head < bias.heads; ++head)
    for (int i = 0; i <= places; ++i) {
      const double x = most * i / places;
      double& worst = drift.absolute[static_cast<std::size_t>(head)];
      worst = std::max(worst, perceptron_drift(perceptron, head, std::span(&x, 1),
                                               (6 / least + 6) * half_ulp_f32));
    }
  return drift;
}

}  // namespace

extern constinit const Encoding fire{
    .name = "fire",
    .also = "functional",
    .summary = "a perceptron of the distance, normalised by the query's own position",
    .source = "Li et al. 2024, arXiv:2310.04418; constants as in the code of DAPE",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy =
        "The argument is correctly rounded in f32, f16 and bf16; a bias is computed in double and "
        "rounded once, off by at most "
        "(hidden + 8)·2⁻⁵³ of the sum of the magnitudes of its terms.",
    .claims =
        "correctly-rounded argument; "
        "drawn:hidden-weight,hidden-bias,output-weight,output-bias bias",
    .promises = "finite deterministic length-invariant order-sensitive causal",
    .example = "fire --seed 1 --heads 2 --threshold 4 --length 8",
    .drift = &drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
