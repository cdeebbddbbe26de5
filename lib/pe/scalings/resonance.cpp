// resonance: every wavelength is rounded to a whole number of positions, after another rule or
// none.
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
Ladder bend(const Ladder& plain, const Parameters& parameters, Index length) {
  const std::string& over = parameters.choice("over");
  if (over == "resonance" || (over != "none" && find_scaling(over).whole_head))
    throw UsageError(
        fmt::format("--over must be none or a rule for the channels that turn, got {}", over));
  Ladder bent = over == "none" ? plain : find_scaling(over).bend(plain, parameters, length);
  bent.recipe.rule = Recipe::Rule::given;
  for (Real& frequency : bent.frequencies) {
    if (frequency == 0) continue;
    const Real length_of_wave = wavelength(frequency), below = floor(length_of_wave),
               rest = length_of_wave - below;
    const bool up = rest > Real("0.5") || (rest == Real("0.5") && fmod(below, Real(2)) != 0);
    Real rounded = up ? below + 1 : below;
    if (rounded < 1) rounded = 1;
    frequency = 2 * real_pi() / rounded;
  }
  return bent;
}

}  // namespace

extern constinit const Scaling resonance{
    .name = "resonance",
    .summary =
        "wavelengths rounded to whole positions, so that no feature of them is new beyond the "
        "trained length",
    .source = "Wang et al. 2024, arXiv:2403.00071, eq. 8",
    .parameters = schema,
    .revokes = "frequencies-decrease",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
