// dynamic: the ntk rule with a factor that follows the length of the sequence.
#include <algorithm>
#include <cmath>

#include "pe/scalings/base_change.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {
    row::required(row::factor),
    row::seq_len,
    row::original_max_position,
    {.name = "growth",
     .type = Parameter::Type::choice,
     .help = "which length decides: per-length, this sequence's; resetting, the longest seen, but "
             "below the original none (transformers); "
             "never-shrinking, the longest seen; frozen, factor times the original, once and for "
             "all (SGLang); unscaled, the original: nothing is stretched (vLLM, where a config has "
             "no max_trained_positions); doubling, the longest seen, in doublings of the original, "
             "whatever the factor (Qwen, TeleChat)",
     .fallback = "per-length",
     .choices = "per-length resetting never-shrinking frozen unscaled doubling"},
    {.name = "longest-seen",
     .help = "longest sequence before this one, for resetting, never-shrinking and doubling",
     .fallback = "1",
     .lowest = "1",
     .highest = "9007199254740992"},
};

// 2^⌈log₂(n/L) + 1⌉ − 1, the factor of the ntk rule in the code beside Qwen's and TeleChat's
// checkpoints (`get_ntk_alpha`).
template <typename Number>
Number doubled(const Number& n, const Number& original) {
  Number stretch = 1;
  for (Number reached = original; reached < n; reached = 2 * reached) stretch = 2 * stretch + 1;
  return stretch;
}

// base' = base·(s·n/L − (s−1))^(d/(d−2)) for a length n above L, the plain base up to L (emozilla
// 2023; transformers
// `_compute_dynamic_ntk_parameters`). L is --original-max-position, else --max-position.
template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values,
                         Index length) {
  const char* const key =
      values.has("original-max-position") ? "original-max-position" : "max-position";
  if (!values.has(key))
    throw UsageError(
        "--scaling dynamic needs --original-max-position (length that the model was first trained "
        "on)");
  const Number factor = values.number("factor"), original = values.number(key);
  const Number here =
      values.has("seq-len") ? values.number("seq-len") : static_cast<Number>(length);
  const Number seen = values.number("longest-seen");
  const std::string& growth = values.choice("growth");
  Number n = here;
  if (growth == "frozen") n = factor * original;
  if (growth == "unscaled") n = original;
  if (growth == "never-shrinking" || growth == "doubling" ||
      (growth == "resetting" && here >= original))
    n = here > seen ? here : seen;
  if (n < original) n = original;
  const Number stretch =
      growth == "doubling" ? doubled(n, original) : factor * n / original - (factor - 1);
  if (stretch <= 0)
    throw UsageError(
        fmt::format("--factor {} makes the base negative at length {} (it must be above 0, and at "
                    "least 1 to stretch)",
                    values.spell("factor"), spell(n)));
  BasicLadder<Number> bent = stretched<Number>(plain, stretch);
  decide(bent, "length {} decides ({}), against {} (--{})", spell(n), growth, spell(original), key);
  std::ranges::reverse(bent.decisions);  // the length goes before the base that it gives
  return bent;
}

// A length that somebody asks for: one digit and zeros, or a few times a power of two.
bool is_likely_length(double length) {
  if (!(length >= 1) || length != std::floor(length)) return false;
  const double power = std::pow(10, std::floor(std::log10(length)));
  if (std::fmod(length, power) == 0) return true;
  double odd = length;
  while (std::fmod(odd, 2) == 0) odd /= 2;
  return odd < 10 && length / odd >= 256;
}

// stretch = s·n/L − (s − 1): one number for three. The factor and the length of the table stand for
// themselves, and L follows; nothing is said where it is no likely length.
ScalingFits fit(const MeasuredLadder& measured) {
  const Stretch stretch = fitted_base_change(measured);
  ScalingFits fits;
  if (!(stretch.value > 1) || !(stretch.value < most_stretched)) return fits;
  const double meant = number_in(measured.context, "factor", 1);
  for (const TidyNumber& original : known_lengths(measured))
    for (const double factor : {meant, 1.0, 2.0, 4.0, 8.0}) {
      const double length = original.value * (stretch.value + factor - 1) / factor,
                   error = stretch.relative_error * stretch.value / (stretch.value + factor - 1);
      const bool is_table = std::fabs(measured.length / length - 1) <= error;
      const TidyNumber tidy = tidiest(length, error);
      if (!is_table && !is_likely_length(tidy.value)) continue;
      fits.push_back({{{"factor", factor},
                       {"seq-len", is_table ? measured.length : tidy.value},
                       {"original-max-position", original.value},
                       {"growth", std::string("per-length")},
                       {"longest-seen", 1.0}},
                      0.1 + (is_table ? 0 : 0.05) + (factor == meant ? 0 : 0.02) + original.cost});
    }
  return fits;
}

}  // namespace

extern constinit const Scaling dynamic{
    .name = "dynamic",
    .also = "dynamic-ntk 动态",
    .summary = "the ntk rule with a factor that grows with the length of the sequence",
    .source =
        "emozilla 2023, dynamically scaled RoPE; Peng et al. 2023, arXiv:2309.00071, §3.3; "
        "transformers modeling_rope_utils.py",
    .parameters = schema,
    .one_of = "original-max-position max-position",
    .revokes = "length-invariant",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
