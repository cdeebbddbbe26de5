// ntk-by-parts: pairs that turn often are kept, those that turn less than once are divided, with a
// ramp between.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/ramp.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {row::required(row::factor),
                                row::required(row::original_max_position),
                                row::ramp,
                                row::beta_fast,
                                row::beta_slow,
                                row::truncate,
                                row::ramp_clamp};

// The code that went before yarn (jquesnelle/yarn, LlamaPartNTKScaledRotaryEmbedding): linear and
// ntk are joined by one index ramp (1.25 and 0.75 turns), and that and the plain ladder by another
// (16 and 2 turns).
Ladder two_ramps(const Ladder& plain, const Real& factor, const Real& original) {
  const Ladder ntk = stretched(plain, factor);
  const Real highest = plain.dim - 1;
  const std::size_t pairs = plain.frequencies.size();
  const auto inner =
      shares(index_ramp(plain, original, Real("1.25"), Real("0.75"), true, highest), pairs);
  const auto outer = shares(index_ramp(plain, original, 16, 2, true, highest), pairs);
  Ladder bent = plain;
  bent.recipe.rule = Recipe::Rule::given;
  for (std::size_t j = 0; j < pairs; ++j) {
    const Real blend =
        inner[j] * plain.frequencies[j] / factor + (1 - inner[j]) * ntk.frequencies[j];
    bent.frequencies[j] = outer[j] * blend + (1 - outer[j]) * plain.frequencies[j];
  }
  return bent;
}

Ladder bend(const Ladder& plain, const Parameters& parameters, Index) {
  const Real factor = parameters.number("factor").real(),
             original = parameters.number("original-max-position").real();
  const Real fast = parameters.number("beta-fast").real(),
             slow = parameters.number("beta-slow").real();
  const std::string form = parameters.has("ramp") ? parameters.choice("ramp") : "rotation";
  if (form == "two-ramps") return two_ramps(plain, factor, original);
  Ladder bent = plain;
  const std::size_t pairs = plain.frequencies.size();
  if (form == "rotation") {
    divide_shares(bent, rotation_shares(plain, original, fast, slow), factor);
    bent.recipe.rule = Recipe::Rule::given;
    return bent;
  }
  const std::string& clamp = parameters.choice("ramp-clamp");
  const Real highest = clamp == "dim"     ? Real(plain.dim - 1)
                       : clamp == "pairs" ? Real(pairs - 1)
                                          : Real("1e30");
  const Ramp range = index_ramp(plain, original, fast, slow, parameters.flag("truncate"), highest);
  divide_shares(bent, shares(range, pairs), factor);
  bent.recipe = {.rule = Recipe::Rule::ramped,
                 .base = plain.base,
                 .dim = plain.dim,
                 .factor = factor,
                 .low = range.low,
                 .high = range.high};
  bent.decisions = {
      fmt::format("ramp from pair {} to pair {}", spell(range.low), spell(range.high))};
  return bent;
}

}  // namespace

extern constinit const Scaling ntk_by_parts{
    .name = "ntk-by-parts",
    .summary = "short waves kept, long ones divided by the factor, a ramp between",
    .source = "Peng et al. 2023, arXiv:2309.00071, §3.2; two-ramps: jquesnelle/yarn scaled_rope",
    .parameters = schema,
    .revokes = "",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
