// proportional: the first pairs of the whole head's ladder turn, the others stand still.
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
Ladder bend(const Ladder& plain, const Parameters& parameters, Index) {
  const Real factor = parameters.has("factor") ? parameters.number("factor").real() : Real(1);
  const Real part = parameters.number("partial-rotary-factor").real();
  const auto live = trunc(part * plain.dim / 2).convert_to<std::size_t>();
  Ladder bent = plain;
  for (std::size_t j = 0; j < bent.frequencies.size(); ++j) {
    if (j < live)
      bent.frequencies[j] /= factor;
    else
      bent.frequencies[j] = 0;
  }
  bent.recipe.rule = Recipe::Rule::live;
  bent.recipe.factor = factor;
  bent.recipe.count = static_cast<Index>(live);
  bent.decisions = {fmt::format("{} of {} pairs turn", live, bent.frequencies.size())};
  return bent;
}

}  // namespace

extern constinit const Scaling proportional{
    .name = "proportional",
    .summary = "the first pairs of the whole head's ladder turn, the others stand still",
    .source = "Gemma 4; transformers modeling_rope_utils.py",
    .parameters = schema,
    .revokes = "frequencies-decrease",
    .whole_head = true,
    .bend = &bend,
};

}  // namespace pe::scaling_rows
