// proportional: the first pairs of the whole head's ladder turn, the others stand still.
#include "pe/base/whole.hpp"
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {row::factor};

// With D channels in the head and a part r of them: θ_j = base^(−2j/D)/s for j < int(r·D // 2), 0
// for the others. Unlike an ordinary partial rotation the denominator is D, and pairs are (j, j +
// D/2) (transformers
// `_compute_proportional_rope_parameters`, Gemma 4).
template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  const Number factor = values.has("factor") ? values.number("factor") : Number(1);
  const Number part = values.number("partial-rotary-factor");
  using std::floor;
  const Number channels = part * static_cast<Number>(plain.dim) / 2;
  const auto live = saturated<std::size_t>(static_cast<double>(Number(floor(channels))));
  BasicLadder<Number> bent = plain;
  bent.frequencies.resize(static_cast<std::size_t>(plain.dim / 2));  // an odd head's last is alone
  for (std::size_t j = 0; j < bent.frequencies.size(); ++j) {
    if (j < live)
      bent.frequencies[j] /= factor;
    else
      bent.frequencies[j] = 0;
  }
  bent.recipe.rule = LadderRule::live;
  bent.recipe.factor = factor;
  bent.recipe.count = static_cast<Index>(live);
  decide(bent, "{} of {} pairs turn", live, bent.frequencies.size());
  return bent;
}

ScalingFits fit(const MeasuredLadder& measured) {
  std::size_t live = 0;  // NaN is no frequency that stands still
  while (live < measured.pairs() &&
         !(std::fabs(measured.frequencies[live]) <= measured.errors[live]))
    ++live;
  if (live == 0 || live == measured.pairs()) return {};
  const double dim = static_cast<double>(measured.plain.dim),
               turning = 2 * static_cast<double>(live);
  const TidyNumber factor = tidiest(measured.divisor(0), measured.relative_error(0));
  return {
      {{{"factor", factor.value}, {"partial-rotary-factor", turning / dim}}, 0.02 + factor.cost}};
}

}  // namespace

extern constinit const Scaling proportional{
    .name = "proportional",
    .also = "partial",
    .summary = "the first pairs of the whole head's ladder turn, the others stand still",
    .source = "Gemma 4; transformers modeling_rope_utils.py",
    .parameters = schema,
    .revokes = "frequencies-decrease",
    .whole_head = true,
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
