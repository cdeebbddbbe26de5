// Linear scaling: positions are divided by a factor, so every frequency is.
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {row::required(row::factor)};

// θ'_j = θ_j / s (Chen et al. 2023, §3).
Ladder bend(const Ladder& plain, const Parameters& parameters, Index) {
  const Real factor = parameters.number("factor").real();
  Ladder bent = plain;
  for (Real& frequency : bent.frequencies) frequency /= factor;
  bent.recipe.rule = Recipe::Rule::divided;
  bent.recipe.factor = factor;
  return bent;
}

}  // namespace

extern constinit const Scaling linear{
    .name = "linear",
    .summary = "position interpolation: every frequency divided by the factor",
    .source = "Chen et al. 2023, arXiv:2306.15595, eq. 4",
    .parameters = schema,
    .revokes = "",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
