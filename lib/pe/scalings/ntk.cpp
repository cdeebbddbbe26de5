// ntk: the base grows so that the longest wave reaches as far as linear scaling would take it, and
// the shortest stays.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {
    row::factor,
    {.name = "alpha",
     .type = Parameter::Type::number,
     .help = "another name of --factor, as configurations with an alpha have it",
     .lowest = "1e-6",
     .highest = "1e6",
     .config = "alpha"},
    {.name = "ntk-form",
     .type = Parameter::Type::choice,
     .help = "aware: base·s^(d/(d−2)); old: base·s; fixed: old, then all divided by s^(2/d); "
             "mixed: θ_j·exp(−a·(j+1)^b), a = ln s/(d/2)^b",
     .fallback = "aware",
     .choices = "aware old fixed mixed"},
    {.name = "mixed-b",
     .type = Parameter::Type::number,
     .help = "b of the mixed form",
     .fallback = "0.75",
     .lowest = "0",
     .highest = "100"},
};

Ladder bend(const Ladder& plain, const Parameters& parameters, Index) {
  if (parameters.has("factor") == parameters.has("alpha"))
    throw UsageError(
        parameters.has("factor")
            ? fmt::format("--alpha {} and --factor {} say the same thing: give one of them",
                          parameters.spell("alpha"), parameters.spell("factor"))
            : "--scaling ntk needs --factor (or --alpha): how many times longer the context "
              "becomes");
  const Real s = parameters.number(parameters.has("factor") ? "factor" : "alpha").real();
  const std::string& form = parameters.choice("ntk-form");
  if (form == "aware") return stretched(plain, s);
  const Index dim = plain.dim;
  Ladder bent = plain;
  bent.recipe.rule = Recipe::Rule::given;
  for (std::size_t j = 0; j < bent.frequencies.size(); ++j) {
    const Real pair = j;
    if (form == "old") bent.frequencies[j] *= pow(s, -2 * pair / dim);
    if (form == "fixed") bent.frequencies[j] *= pow(s, -2 * (pair + 1) / dim);
    if (form == "mixed") {
      const Real b = parameters.number("mixed-b").real();
      bent.frequencies[j] *= exp(-log(s) * pow((pair + 1) / (Real(dim) / 2), b));
    }
  }
  return bent;
}

}  // namespace

extern constinit const Scaling ntk{
    .name = "ntk",
    .summary = "a larger base: the last pair divided by the factor, the first kept",
    .source =
        "bloc97 2023, NTK-aware scaled RoPE; Peng et al. 2023, arXiv:2309.00071, eq. 16; the other "
        "forms: Su 2023, kexue.fm 9706",
    .parameters = schema,
    .revokes = "",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
