// ntk-by-parts: pairs that turn often are kept, those that turn less than once are divided, with a
// ramp between.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/ramp.hpp"
#include "pe/scalings/ramp_fit.hpp"
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
template <typename Number>
BasicLadder<Number> two_ramps(const BasicLadder<Number>& plain, const Number& factor,
                              const Number& original) {
  const BasicLadder<Number> ntk = stretched(plain, factor);
  const auto highest = static_cast<Number>(plain.dim - 1);
  const std::size_t pairs = plain.frequencies.size();
  const auto inner = shares(index_ramp<Number>(plain, original, 1.25, 0.75, true, highest), pairs);
  const auto outer = shares(index_ramp<Number>(plain, original, 16, 2, true, highest), pairs);
  BasicLadder<Number> bent = plain;
  bent.recipe.rule = LadderRule::given;
  for (std::size_t j = 0; j < pairs; ++j) {
    const Number blend =
        inner[j] * plain.frequencies[j] / factor + (1 - inner[j]) * ntk.frequencies[j];
    bent.frequencies[j] = outer[j] * blend + (1 - outer[j]) * plain.frequencies[j];
  }
  return bent;
}

template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  const Number factor = values.number("factor"), original = values.number("original-max-position"),
               fast = values.number("beta-fast"), slow = values.number("beta-slow");
  const std::string form = values.has("ramp") ? values.choice("ramp") : "rotation";
  if (form == "two-ramps") return two_ramps(plain, factor, original);
  BasicLadder<Number> bent = plain;
  const std::size_t pairs = plain.frequencies.size();
  if (form == "rotation") {
    divide_shares(bent, rotation_shares(plain, original, fast, slow), factor);
    bent.recipe.rule = LadderRule::given;
    return bent;
  }
  const Ramp<Number> range = index_ramp(plain, original, fast, slow, values.flag("truncate"),
                                        ramp_limit(values.choice("ramp-clamp"), plain));
  divide_shares(bent, shares(range, pairs), factor);
  bent.recipe = {.rule = LadderRule::ramped,
                 .base = plain.base,
                 .dim = plain.dim,
                 .factor = factor,
                 .low = range.low,
                 .high = range.high};
  decide(bent, "ramp from pair {} to pair {}", spell(range.low), spell(range.high));
  return bent;
}

// The paper's form is a band of turns, the code's an index ramp, as yarn's are; yarn is the
// likelier name where no attention factor can be seen.
ScalingFits fit(const MeasuredLadder& measured) {
  ScalingFits fits;
  for (const bool index : {false, true})
    for (ScalingFit& one : fitted_ramps(measured, index)) {
      one.cost += index ? 0.12 : 0.06;
      fits.push_back(std::move(one));
    }
  for (const TidyNumber& factor : fitted_factors(measured))
    for (const TidyNumber& original : known_lengths(measured))
      fits.push_back({{{"factor", factor.value},
                       {"original-max-position", original.value},
                       {"ramp", std::string("two-ramps")},
                       {"beta-fast", 32.0},
                       {"beta-slow", 1.0}},
                      0.1 + factor.cost + original.cost});
  return fits;
}

}  // namespace

extern constinit const Scaling ntk_by_parts{
    .name = "ntk-by-parts",
    .also = "by-parts ntk-parts",
    .summary = "short waves kept, long ones divided by the factor, a ramp between",
    .source = "Peng et al. 2023, arXiv:2309.00071, §3.2; two-ramps: jquesnelle/yarn scaled_rope",
    .parameters = schema,
    .revokes = "",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
