// dynamic: the ntk rule with a factor that follows the length of the sequence.
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
             "all (vLLM)",
     .fallback = "per-length",
     .choices = "per-length resetting never-shrinking frozen"},
    {.name = "longest-seen",
     .help = "longest sequence before this one, for resetting and never-shrinking",
     .fallback = "1",
     .lowest = "1",
     .highest = "9007199254740992"},
};

// base' = base·(s·n/L − (s−1))^(d/(d−2)) for a length n above L, the plain base up to L (emozilla
// 2023; transformers
// `_compute_dynamic_ntk_parameters`). L is --original-max-position, else --max-position.
Ladder bend(const Ladder& plain, const Parameters& parameters, Index length) {
  const char* const key =
      parameters.has("original-max-position") ? "original-max-position" : "max-position";
  if (!parameters.has(key))
    throw UsageError(
        "--scaling dynamic needs --original-max-position (length that the model was first trained "
        "on)");
  const Real factor = parameters.number("factor").real(), original = parameters.number(key).real();
  const Real here = parameters.has("seq-len") ? parameters.number("seq-len").real() : Real(length);
  const Real seen = parameters.number("longest-seen").real();
  const std::string& growth = parameters.choice("growth");
  Real n = here;
  if (growth == "frozen") n = factor * original;
  if (growth == "never-shrinking" || (growth == "resetting" && here >= original))
    n = here > seen ? here : seen;
  if (n < original) n = original;
  const Real stretch = factor * n / original - (factor - 1);
  if (stretch <= 0)
    throw UsageError(
        fmt::format("--factor {} makes the base negative at length {} (it must be above 0, and at "
                    "least 1 to stretch)",
                    parameters.spell("factor"), spell(n)));
  Ladder bent = stretched(plain, stretch);
  bent.decisions.insert(bent.decisions.begin(),
                        fmt::format("length {} decides ({}), against {} (--{})", spell(n), growth,
                                    spell(original), key));
  return bent;
}

}  // namespace

extern constinit const Scaling dynamic{
    .name = "dynamic",
    .summary = "the ntk rule with a factor that grows with the length of the sequence",
    .source =
        "emozilla 2023, dynamically scaled RoPE; Peng et al. 2023, arXiv:2309.00071, §3.3; "
        "transformers modeling_rope_utils.py",
    .parameters = schema,
    .revokes = "length-invariant",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
