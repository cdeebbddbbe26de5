// Linear scaling: positions are divided by a factor, so every frequency is.
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {row::required(row::factor)};

// θ'_j = θ_j / s (Chen et al. 2023, §3).
template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  const Number factor = values.number("factor");
  BasicLadder<Number> bent = plain;
  for (Number& frequency : bent.frequencies) frequency /= factor;
  bent.recipe.rule = LadderRule::divided;
  bent.recipe.factor = factor;
  return bent;
}

ScalingFits fit(const MeasuredLadder& measured) {
  const Stretch stretch = fitted_stretch(measured, [](double, double) { return 1.0; });
  // Below 1 positions are multiplied, which no config asks for, unless this one does.
  if (!(stretch.value > (number_in(measured.context, "factor", 1) < 1 ? 0 : 1))) return {};
  ScalingFits fits;
  // The sharpest pair's error, and what all pairs together leave of it: a factor that nobody chose,
  // L/2π, has digits beyond.
  for (const double share : {1.0, 1.0 / 8, 1.0 / 64}) {
    const TidyNumber factor = tidiest(stretch.value, share * stretch.relative_error);
    // A number of many digits is none that somebody chose: dearer than two causes.
    fits.push_back({{{"factor", factor.value}}, factor.cost + (factor.cost > 0.3 ? 0.8 : 0)});
  }
  return fits;
}

}  // namespace

extern constinit const Scaling linear{
    .name = "linear",
    .also = "pi position-interpolation interpolation 位置插值 线性 线性插值",
    .summary = "position interpolation: every frequency divided by the factor",
    .source = "Chen et al. 2023, arXiv:2306.15595, eq. 4",
    .parameters = schema,
    .revokes = "",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
