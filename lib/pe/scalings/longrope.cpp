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

void check_list(const Parameters& parameters, const char* name, std::size_t pairs) {
  const std::size_t items = parameters.numbers(name).size();
  if (items == pairs) return;
  const std::string& origin = parameters.origin(name);
  throw UsageError(fmt::format(
      "--{} must list {} numbers, one for each pair, got {}{}", name, pairs, items,
      origin.starts_with("config ") ? fmt::format(" (from config key {})", origin.substr(7)) : ""));
}

// √(1 + ln s / ln L), s the stretch of the whole model, 1 where nothing is stretched (Phi-3's code;
// for both lists).
Real magnitude_of(const Parameters& parameters, const Real& original, bool is_long,
                  std::string& rule) {
  const char* const own = is_long ? "long-mscale" : "short-mscale";
  rule = "as given";
  if (parameters.has("attention-factor")) return parameters.number("attention-factor").real();
  if (parameters.has(own)) return parameters.number(own).real();
  Real factor = 1;
  if (parameters.has("factor"))
    factor = parameters.number("factor").real();
  else if (parameters.has("max-position"))
    factor = parameters.number("max-position").real() / original;
  else
    throw UsageError(
        "--scaling longrope needs --factor or --max-position (or --attention-factor) for its "
        "attention factor");
  if (factor <= 1) {
    rule = "1, for nothing is stretched";
    return 1;
  }
  rule = fmt::format("√(1 + ln {} / ln {})", spell(factor), spell(original));
  return sqrt(1 + log(factor) / log(original));
}

Ladder bend(const Ladder& plain, const Parameters& parameters, Index length) {
  const std::size_t pairs = plain.frequencies.size();
  for (const char* name : {"short-factor", "long-factor"}) check_list(parameters, name, pairs);
  const Real original = parameters.number("original-max-position").real();
  const Real here = parameters.has("seq-len") ? parameters.number("seq-len").real() : Real(length);
  const std::string& list = parameters.choice("factor-list");
  const bool is_long = list == "long" || (list == "by-length" && here > original);
  const auto divisors = parameters.numbers(is_long ? "long-factor" : "short-factor");
  Ladder bent = plain;
  for (std::size_t j = 0; j < pairs; ++j) bent.frequencies[j] /= divisors[j].real();
  bent.recipe.rule = Recipe::Rule::listed;
  for (const Decimal& divisor : divisors) bent.recipe.divisors.push_back(divisor.real());
  std::string rule;
  bent.magnitude = magnitude_of(parameters, original, is_long, rule);
  bent.decisions = {list == "by-length"
                        ? fmt::format("{} list, for length {} is {} {}", is_long ? "long" : "short",
                                      spell(here), is_long ? "above" : "not above", spell(original))
                        : fmt::format("{} list, as asked for", list),
                    fmt::format("attention factor {}: {}", spell(bent.magnitude), rule)};
  return bent;
}

}  // namespace

extern constinit const Scaling longrope{
    .name = "longrope",
    .summary = "every pair divided by a factor of its own, from a short or a long list",
    .source = "Ding et al. 2024, arXiv:2402.13753; Phi-3's modeling code (su, longrope)",
    .parameters = schema,
    .revokes = "length-invariant frequencies-decrease",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
