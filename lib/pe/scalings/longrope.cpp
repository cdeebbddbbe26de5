// longrope: each pair has a searched factor of its own, from one list for short sequences and one
// for long ones.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "short-factor",
     .type = Parameter::Type::numbers,
     .help = "a divisor for each pair, up to the original length",
     .lowest = "1e-6",
     .highest = "1e9",
     .required = true,
     .config = "short_factor"},
    {.name = "long-factor",
     .type = Parameter::Type::numbers,
     .help = "a divisor for each pair, beyond it",
     .lowest = "1e-6",
     .highest = "1e9",
     .required = true,
     .config = "long_factor"},
    row::required(row::original_max_position),
    row::factor,
    row::seq_len,
    {.name = "factor-list",
     .type = Parameter::Type::choice,
     .help = "by-length: the long list when the sequence is longer than the original; short or "
             "long: that list at every length",
     .fallback = "by-length",
     .choices = "by-length short long"},
    row::attention_factor,
    {.name = "short-mscale",
     .type = Parameter::Type::number,
     .help = "attention factor of the short list (Phi-3.5-MoE)",
     .lowest = "0",
     .highest = "1e6",
     .config = "short_mscale"},
    {.name = "long-mscale",
     .type = Parameter::Type::number,
     .help = "attention factor of the long list (Phi-3.5-MoE)",
     .lowest = "0",
     .highest = "1e6",
     .config = "long_mscale"},
};

template <typename Number>
void check_list(const Values<Number>& values, const char* name, std::size_t pairs) {
  const std::size_t items = values.numbers(name).size();
  if (items == pairs) return;
  const std::string origin = values.origin(name);
  throw UsageError(fmt::format(
      "--{} must list {} numbers, one for each pair, got {}{}", name, pairs, items,
      origin.starts_with("config ") ? fmt::format(" (from config key {})", origin.substr(7)) : ""));
}

// √(1 + ln s / ln L), s the stretch of the whole model, 1 where nothing is stretched (Phi-3's code;
// for both lists).
template <typename Number>
Number magnitude_of(const Values<Number>& values, const Number& original, bool is_long,
                    std::string& rule) {
  using std::log;
  using std::sqrt;
  const char* const own = is_long ? "long-mscale" : "short-mscale";
  rule = "as given";
  if (values.has("attention-factor")) return values.number("attention-factor");
  if (values.has(own)) return values.number(own);
  Number factor = 1;
  if (values.has("factor"))
    factor = values.number("factor");
  else if (values.has("max-position"))
    factor = values.number("max-position") / original;
  else
    throw UsageError(
        "--scaling longrope needs --factor or --max-position (or --attention-factor) for its "
        "attention factor");
  if (factor <= 1) {
    rule = "1, for nothing is stretched";
    return 1;
  }
  if (original <= 1)
    throw UsageError(
        fmt::format("--original-max-position must be more than 1 for longrope's attention factor, "
                    "√(1 + ln s / ln L), got {}",
                    spell(original)));
  rule = fmt::format("√(1 + ln {} / ln {})", spell(factor), spell(original));
  return sqrt(1 + log(factor) / log(original));
}

template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values,
                         Index length) {
  const std::size_t pairs = plain.frequencies.size();
  for (const char* name : {"short-factor", "long-factor"}) check_list(values, name, pairs);
  const Number original = values.number("original-max-position");
  const Number here =
      values.has("seq-len") ? values.number("seq-len") : static_cast<Number>(length);
  const std::string& list = values.choice("factor-list");
  const bool is_long = list == "long" || (list == "by-length" && here > original);
  const auto divisors = values.numbers(is_long ? "long-factor" : "short-factor");
  BasicLadder<Number> bent = plain;
  for (std::size_t j = 0; j < pairs; ++j) bent.frequencies[j] /= divisors[j];
  bent.recipe.rule = LadderRule::listed;
  bent.recipe.divisors = divisors;
  std::string rule;
  bent.magnitude = magnitude_of(values, original, is_long, rule);
  if (list == "by-length")
    decide(bent, "{} list, for length {} is {} {}", is_long ? "long" : "short", spell(here),
           is_long ? "above" : "not above", spell(original));
  else
    decide(bent, "{} list, as asked for", list);
  decide(bent, "attention factor {}: {}", spell(bent.magnitude), rule);
  return bent;
}

// A list has a number for every pair, and so fits every ladder: dearer than any rule, and no
// explanation of a dump that is wrong. A number is made tidy within a sixteenth of its error: that
// is of two phases, 2√2 · 3 units over half of the rows at least, and moves the last row by twice
// as much; a cell is allowed 3 units, and half of these are the file's own.
ScalingFits fit(const MeasuredLadder& measured) {
  std::vector<double> list;
  double digits = 0;
  for (std::size_t j = 0; j < measured.pairs(); ++j) {
    if (!(measured.frequencies[j] > 0)) return {};
    const TidyNumber divisor =
        tidiest(measured.divisor(j), measured.errors[j] / (16 * measured.frequencies[j]));
    if (!(divisor.value >= 0.9)) return {};
    list.push_back(divisor.value);
    digits += divisor.cost;
  }
  const bool has_factor = measured.amplitude && std::fabs(*measured.amplitude - 1) >
                                                    std::max(2e-3, measured.amplitude_error);
  const double original = number_in(measured.context, "original-max-position", 4096);
  return {{{{"short-factor", list},
            {"long-factor", list},
            {"factor-list", std::string("by-length")},
            {"original-max-position", original},
            {"attention-factor",
             has_factor ? tidiest(*measured.amplitude, measured.amplitude_error).value : 1.0}},
           2 + digits}};
}

}  // namespace

extern constinit const Scaling longrope{
    .name = "longrope",
    .also = "su su-scaled phi3 long-rope",
    .summary = "every pair divided by a factor of its own, from a short or a long list",
    .source = "Ding et al. 2024, arXiv:2402.13753; Phi-3's modeling code (su, longrope)",
    .parameters = schema,
    .one_of = "factor max-position attention-factor",
    .revokes = "length-invariant frequencies-decrease",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
