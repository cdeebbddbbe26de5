// yarn: ntk-by-parts with a factor on the scores that grows with the logarithm of the stretch.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/ramp.hpp"
#include "pe/scalings/ramp_fit.hpp"
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
     .help = "k of 0.1·k·ln s + 1 above the line; see --mscale-rule",
     .lowest = "0",
     .highest = "1e6",
     .config = "mscale"},
    {.name = "mscale-all-dim",
     .type = Parameter::Type::number,
     .help = "k of 0.1·k·ln s + 1 below the line",
     .lowest = "0",
     .highest = "1e6",
     .config = "mscale_all_dim"},
    {.name = "mscale-rule",
     .type = Parameter::Type::choice,
     .help = "together: --mscale and --mscale-all-dim count only beside one another, and 0 as "
             "absent (transformers); each: one alone counts, the other is 1 above and 0 below "
             "(DeepSeek's own code, mlx-lm)",
     .fallback = "together",
     .choices = "together each"},
};

// 0.1·k·ln s + 1, and 1 where nothing is stretched (DeepSeek's `yarn_get_mscale`; k = 1: Peng et
// al. 2023, eq. 22).
template <typename Number>
Number mscale(const Number& factor, const Number& k) {
  using std::log;
  return factor <= 1 ? Number(1) : Number(k * log(factor) / 10 + 1);
}

template <typename Number>
struct Magnitude {
  Number value;
  std::string rule;
};

template <typename Number>
Magnitude<Number> magnitude_of(const Values<Number>& values, const Number& factor) {
  const auto counts = [&](const char* name) {
    return values.has(name) && values.number(name) != 0;
  };
  if (values.has("attention-factor")) return {values.number("attention-factor"), "as given"};
  const bool each = values.has("mscale-rule") && values.choice("mscale-rule") == "each" &&
                    (values.has("mscale") || values.has("mscale-all-dim"));
  if (!each && (!counts("mscale") || !counts("mscale-all-dim")))
    return {mscale<Number>(factor, 1), factor <= 1 ? "1, for nothing is stretched"
                                                   : fmt::format("0.1 · ln {} + 1", spell(factor))};
  const Number above = values.has("mscale") ? values.number("mscale") : Number(1),
               below = values.has("mscale-all-dim") ? values.number("mscale-all-dim") : Number(0);
  return {
      Number(mscale(factor, above) / mscale(factor, below)),
      fmt::format("(0.1 · {1} · ln {0} + 1) / (0.1 · {2} · ln {0} + 1), mscale over mscale-all-dim",
                  spell(factor), spell(above), spell(below))};
}

template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  const Number original = values.number("original-max-position");
  if (!values.has("factor") && !values.has("max-position"))
    throw UsageError(
        "--scaling yarn needs --factor (or --max-position, to be divided by "
        "--original-max-position)");
  const Number factor = values.has("factor") ? values.number("factor")
                                             : Number(values.number("max-position") / original);
  const Number fast = values.number("beta-fast"), slow = values.number("beta-slow");
  const std::string form = values.has("ramp") ? values.choice("ramp") : "index";
  if (form == "two-ramps")
    throw UsageError(
        "--ramp two-ramps belongs to --scaling ntk-by-parts: choose index or rotation for yarn");
  BasicLadder<Number> bent = plain;
  if (!values.has("factor"))
    decide(bent, "factor {} = --max-position / --original-max-position", spell(factor));
  const std::size_t pairs = plain.frequencies.size();
  if (form == "rotation") {
    divide_shares(bent, rotation_shares(plain, original, fast, slow), factor);
    bent.recipe.rule = LadderRule::given;
  } else {
    Ramp<Number> range = index_ramp(plain, original, fast, slow, values.flag("truncate"),
                                    ramp_limit(values.choice("ramp-clamp"), plain));
    // The published ramp has dim/2 shares, rounded down. Of 3 channels that is one, the first
    // pair's, which both pairs take; it is 0, for no ramp begins below pair 0.
    if (plain.dim == 3) {
      range = {2, 3};
      decide(bent, "of 3 channels both pairs have the first one's share: nothing is divided");
    }
    divide_shares(bent, shares(range, pairs), factor);
    bent.recipe = {.rule = LadderRule::ramped,
                   .base = plain.base,
                   .dim = plain.dim,
                   .factor = factor,
                   .low = range.low,
                   .high = range.high,
                   .original = original,
                   .fast = fast,
                   .slow = slow,
                   .whole = values.flag("truncate")};
    decide(bent, "ramp from pair {} to pair {}", spell(range.low), spell(range.high));
  }
  const Magnitude<Number> magnitude = magnitude_of(values, factor);
  bent.magnitude = magnitude.value;
  decide(bent, "attention factor {}: {}", spell(magnitude.value), magnitude.rule);
  return bent;
}

ScalingFits fit(const MeasuredLadder& measured) {
  ScalingFits fits;
  for (const bool index : {true, false})
    for (ScalingFit& one : fitted_ramps(measured, index)) {
      one.cost += index ? 0 : 0.08;
      fits.push_back(std::move(one));
    }
  return fits;
}

}  // namespace

extern constinit const Scaling yarn{
    .name = "yarn",
    .summary = "ntk-by-parts with an attention factor of 0.1·ln s + 1",
    .source =
        "Peng et al. 2023, arXiv:2309.00071, §3.4; jquesnelle/yarn scaled_rope; transformers "
        "modeling_rope_utils.py",
    .parameters = schema,
    .one_of = "factor max-position",
    .revokes = "",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
