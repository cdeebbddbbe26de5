// yarn: ntk-by-parts with a factor on the scores that grows with the logarithm of the stretch.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/ramp.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {
    row::factor,
    row::required(row::original_max_position),
    row::ramp,
    row::beta_fast,
    row::beta_slow,
    row::truncate,
    row::ramp_clamp,
    row::attention_factor,
    {.name = "mscale",
     .type = Parameter::Type::number,
     .help =
         "k of 0.1·k·ln s + 1 above the line; counts only beside --mscale-all-dim, and 0 as absent",
     .lowest = "0",
     .highest = "1e6",
     .config = "mscale"},
    {.name = "mscale-all-dim",
     .type = Parameter::Type::number,
     .help = "k of 0.1·k·ln s + 1 below the line",
     .lowest = "0",
     .highest = "1e6",
     .config = "mscale_all_dim"},
};

// 0.1·k·ln s + 1, and 1 where nothing is stretched (DeepSeek's `yarn_get_mscale`; k = 1: Peng et
// al. 2023, eq. 22).
Real mscale(const Real& factor, const Real& k) {
  return factor <= 1 ? Real(1) : k * log(factor) / 10 + 1;
}

struct Magnitude {
  Real value;
  std::string rule;
};

Magnitude magnitude_of(const Parameters& parameters, const Real& factor) {
  const auto counts = [&](const char* name) {
    return parameters.has(name) && parameters.number(name).real() != 0;
  };
  if (parameters.has("attention-factor"))
    return {parameters.number("attention-factor").real(), "as given"};
  if (!counts("mscale") || !counts("mscale-all-dim"))
    return {mscale(factor, 1), factor <= 1 ? "1, for nothing is stretched"
                                           : fmt::format("0.1 · ln {} + 1", spell(factor))};
  const Real above = parameters.number("mscale").real(),
             below = parameters.number("mscale-all-dim").real();
  return {
      mscale(factor, above) / mscale(factor, below),
      fmt::format("(0.1 · {1} · ln {0} + 1) / (0.1 · {2} · ln {0} + 1), mscale over mscale-all-dim",
                  spell(factor), spell(above), spell(below))};
}

Ladder bend(const Ladder& plain, const Parameters& parameters, Index) {
  const Real original = parameters.number("original-max-position").real();
  if (!parameters.has("factor") && !parameters.has("max-position"))
    throw UsageError(
        "--scaling yarn needs --factor (or --max-position, to be divided by "
        "--original-max-position)");
  const Real factor = parameters.has("factor")
                          ? parameters.number("factor").real()
                          : parameters.number("max-position").real() / original;
  const Real fast = parameters.number("beta-fast").real(),
             slow = parameters.number("beta-slow").real();
  const std::string form = parameters.has("ramp") ? parameters.choice("ramp") : "index";
  if (form == "two-ramps")
    throw UsageError(
        "--ramp two-ramps belongs to --scaling ntk-by-parts: choose index or rotation for yarn");
  Ladder bent = plain;
  if (!parameters.has("factor"))
    bent.decisions.push_back(
        fmt::format("factor {} = --max-position / --original-max-position", spell(factor)));
  const std::size_t pairs = plain.frequencies.size();
  if (form == "rotation") {
    divide_shares(bent, rotation_shares(plain, original, fast, slow), factor);
    bent.recipe.rule = Recipe::Rule::given;
  } else {
    const std::string& clamp = parameters.choice("ramp-clamp");
    const Real highest = clamp == "dim"     ? Real(plain.dim - 1)
                         : clamp == "pairs" ? Real(pairs - 1)
                                            : Real("1e30");
    const Ramp range =
        index_ramp(plain, original, fast, slow, parameters.flag("truncate"), highest);
    divide_shares(bent, shares(range, pairs), factor);
    bent.recipe = {.rule = Recipe::Rule::ramped,
                   .base = plain.base,
                   .dim = plain.dim,
                   .factor = factor,
                   .low = range.low,
                   .high = range.high};
    bent.decisions.push_back(
        fmt::format("ramp from pair {} to pair {}", spell(range.low), spell(range.high)));
  }
  const Magnitude magnitude = magnitude_of(parameters, factor);
  bent.magnitude = magnitude.value;
  bent.decisions.push_back(
      fmt::format("attention factor {}: {}", spell(magnitude.value), magnitude.rule));
  return bent;
}

}  // namespace

extern constinit const Scaling yarn{
    .name = "yarn",
    .summary = "ntk-by-parts with an attention factor of 0.1·ln s + 1",
    .source =
        "Peng et al. 2023, arXiv:2309.00071, §3.4; jquesnelle/yarn scaled_rope; transformers "
        "modeling_rope_utils.py",
    .parameters = schema,
    .revokes = "",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
