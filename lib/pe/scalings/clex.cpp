// clex: the flow of frequencies in closed form, before anything is learnt.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {row::required(row::factor)};

// CLEX integrates d ln θ / dt from t = 1 to t; with the network at its zero initialisation the
// published code's field gives θ_j(t) = θ_j·(2t − 1)^(−2j/(d−2)): the ntk rule with α = 2t − 1, not
// t (Chen et al. 2023; DAMO-NLP-SG/CLEX).
template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  const Number t = values.number("factor");
  if (t < 1)
    throw UsageError(fmt::format("--factor must be at least 1 for --scaling clex, got {}",
                                 values.spell("factor")));
  return stretched<Number>(plain, 2 * t - 1);
}

// α = 2t − 1 is a change of base; ntk's own factor is the likelier reading of it.
ScalingFits fit(const MeasuredLadder& measured) {
  const Stretch stretch = fitted_base_change(measured);
  if (!(stretch.value >= 1) || !(stretch.value < most_stretched)) return {};
  const TidyNumber t = tidiest((stretch.value + 1) / 2, stretch.relative_error);
  return {{{{"factor", t.value}}, 0.08 + t.cost}};
}

}  // namespace

extern constinit const Scaling clex{
    .name = "clex",
    .also = "continuous",
    .summary = "the frequency flow of CLEX at its initialisation: ntk with α = 2t − 1",
    .source = "Chen et al. 2023, arXiv:2310.16450; DAMO-NLP-SG/CLEX",
    .parameters = schema,
    .revokes = "",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
