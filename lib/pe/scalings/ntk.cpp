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
     .highest = "100",
     .config = "mixed_b"},
};

template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  if (values.has("factor") == values.has("alpha"))
    throw UsageError(
        values.has("factor")
            ? fmt::format("--alpha {} and --factor {} say the same thing: give one of them",
                          values.spell("alpha"), values.spell("factor"))
            : "--scaling ntk needs --factor (or --alpha): how many times longer the context "
              "becomes");
  const Number s = values.number(values.has("factor") ? "factor" : "alpha");
  const std::string& form = values.choice("ntk-form");
  if (form == "aware") return stretched<Number>(plain, s);
  using std::exp;
  using std::log;
  using std::pow;
  const auto dim = static_cast<Number>(plain.dim);
  BasicLadder<Number> bent = plain;
  bent.recipe.rule = LadderRule::given;
  for (std::size_t j = 0; j < bent.frequencies.size(); ++j) {
    const auto pair = static_cast<Number>(j);
    if (form == "old") bent.frequencies[j] *= pow(s, Number(-2 * pair / dim));
    if (form == "fixed") bent.frequencies[j] *= pow(s, Number(-2 * (pair + 1) / dim));
    if (form == "mixed") {
      const Number b = values.number("mixed-b");
      bent.frequencies[j] *= exp(Number(-log(s) * pow(Number((pair + 1) / (dim / 2)), b)));
    }
  }
  return bent;
}

// Each form's own weight of a pair in the logarithm. The old form is base·s, which another base
// says without the name of a rule: it is not told.
ScalingFits fit(const MeasuredLadder& measured) {
  ScalingFits fits;
  const auto add = [&](const Stretch& stretch, const char* form, double cost) {
    if (!(stretch.value > 1) || !(stretch.value < most_stretched)) return;
    const TidyNumber factor = tidiest(stretch.value, stretch.relative_error);
    fits.push_back({{{"factor", factor.value}, {"ntk-form", std::string(form)}, {"mixed-b", 0.75}},
                    cost + factor.cost});
  };
  add(fitted_base_change(measured), "aware", 0.02);
  add(fitted_stretch(measured, [](double pair, double dim) { return 2 * (pair + 1) / dim; }),
      "fixed", 0.05);
  add(fitted_stretch(measured,
                     [](double pair, double dim) { return std::pow(2 * (pair + 1) / dim, 0.75); }),
      "mixed", 0.05);
  return fits;
}

}  // namespace

extern constinit const Scaling ntk{
    .name = "ntk",
    .also = "ntk-aware ntkaware ntk-aware-scaled-rope 神经切线核",
    .summary = "a larger base: the last pair divided by the factor, the first kept",
    .source =
        "bloc97 2023, NTK-aware scaled RoPE; Peng et al. 2023, arXiv:2309.00071, eq. 16; the other "
        "forms: Su 2023, kexue.fm 9706",
    .parameters = schema,
    .one_of = "factor alpha",
    .revokes = "",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
