// resonance: every wavelength is rounded to a whole number of positions, after another rule or
// none.
#include <algorithm>

#include "pe/scalings/base_change.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "over",
     .type = Parameter::Type::name,
     .help = "the rule that is rounded (with its own parameters), or none",
     .fallback = "none"},
};

// λ' = round(λ), θ' = 2π/λ' (Wang et al. 2024, eq. 8). λ is never halfway between whole numbers,
// for 2π is irrational, unless another rule makes it so; then to even, as the authors' code rounds.
template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values,
                         Index length) {
  const std::string& over = values.choice("over");
  if (over == "resonance" || (over != "none" && find_scaling(over).whole_head))
    throw UsageError(
        fmt::format("--over must be none or a rule for the channels that turn, got {}", over));
  BasicLadder<Number> bent =
      over == "none" ? plain : pe::bent(find_scaling(over), plain, values, length);
  using std::floor;
  using std::fmod;
  bent.recipe.rule = LadderRule::given;
  for (Number& frequency : bent.frequencies) {
    if (frequency == 0) continue;
    const Number length_of_wave = 2 * pi_of<Number>() / frequency, below = floor(length_of_wave),
                 rest = length_of_wave - below;
    const bool up = rest > 0.5 || (rest == 0.5 && fmod(below, Number(2)) != 0);
    Number rounded = up ? below + 1 : below;
    if (rounded < 1) rounded = 1;
    frequency = 2 * pi_of<Number>() / rounded;
  }
  return bent;
}

// Rounding hides the digits that another rule's parameters would be read from: each rule that fits
// roughly is tried under it.
ScalingFits fit(const MeasuredLadder& measured) {
  ScalingFits fits{{{{"over", std::string("none")}}, 0.03}};
  MeasuredLadder rough = measured;
  for (std::size_t j = 0; j < rough.pairs(); ++j) {  // half a position of each wavelength
    const double f = measured.frequencies[j];
    rough.errors[j] += f * f / (4 * std::numbers::pi) * 1.02;
  }
  for (const Scaling* under : all_scalings()) {
    if (under->name == "resonance" || under->name == "longrope" || under->whole_head) continue;
    std::size_t kept = 0;
    ScalingFits under_fits = under->fit.function ? under->fit.function(rough) : ScalingFits{};
    std::ranges::stable_sort(under_fits, {}, &ScalingFit::cost);
    for (ScalingFit& one : under_fits) {
      one.settings.insert_or_assign("over", std::string(under->name));
      one.cost += 0.06;
      fits.push_back(std::move(one));
      if (++kept == 64) break;
    }
  }
  return fits;
}

}  // namespace

extern constinit const Scaling resonance{
    .name = "resonance",
    .also = "resonance-rope",
    .summary =
        "wavelengths rounded to whole positions, so that no feature of them is new beyond the "
        "trained length",
    .source = "Wang et al. 2024, arXiv:2403.00071, eq. 8",
    .parameters = schema,
    .revokes = "frequencies-decrease",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
