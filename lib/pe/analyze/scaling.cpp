// scaling: what every rule makes of the same ladder at one factor, the fingerprints of rules.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "pe/analyze/rules.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {rules_option, trained_option};

constexpr Error one_rounding{.relative = 0x1p-52};  // of a double that Real was rounded to
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double any_length = std::numeric_limits<double>::infinity();

// What one rule does to one pair.
struct Bent {
  Real theta, scaled, ratio, share, angle, extension;
  bool seen_whole = false;
};

struct Fingerprint {
  std::vector<Bent> pairs;
  double usable = any_length;  // the least extension of its pairs
  int leaving = 0;
};

// An angle equal to the trained one, up to the roundings of 120 digits, has not left.
bool exceeds(const Real& value, const Real& limit) { return value > limit * (1 + Real("1e-90")); }

// γ; what lies within the roundings of 120 digits of nothing kept is nothing.
Real share_kept(const Real& ratio, const Real& factor) {
  if (factor == 1) return none;
  const Real share = (ratio - 1 / factor) / (1 - 1 / factor);
  return abs(share) < Real("1e-90") ? Real(0) : share;
}

Fingerprint fingerprint_of(const BentRule& rule, const Ladder& plain,
                           const Stretching& stretching) {
  Fingerprint made;
  const Real factor = Decimal(stretching.factor).real(), trained(stretching.trained);
  for (std::size_t j = 0; j < plain.frequencies.size(); ++j) {
    Bent pair;
    pair.theta = plain.frequencies[j];
    pair.scaled = rule.ladder.frequencies[j];
    pair.ratio = pair.scaled / pair.theta;
    pair.share = share_kept(pair.ratio, factor);
    pair.angle = Real(stretching.length) / trained * pair.ratio;
    pair.seen_whole = wavelength(pair.theta) <= trained;
    pair.extension = pair.seen_whole || pair.scaled == 0 ? Real(any_length) : Real(1 / pair.ratio);
    if (!pair.seen_whole && exceeds(pair.angle, 1)) ++made.leaving;
    made.usable = std::min(made.usable, to_double(pair.extension));
    made.pairs.push_back(std::move(pair));
  }
  return made;
}

// How far the forms of rules lie from their usual form: the largest quotient of two frequencies.
std::string forms_note(const std::vector<BentRule>& rules) {
  std::string text;
  for (const BentRule& form : rules) {
    const auto usual = std::ranges::find_if(rules, [&](const BentRule& rule) {
      return rule.name == form.scaling->name && rule.name != form.name;
    });
    if (usual == rules.end()) continue;
    double apart = 1;
    std::size_t where = 0;
    for (std::size_t j = 0; j < form.ladder.frequencies.size(); ++j) {
      const double quotient =
          to_double(Real(usual->ladder.frequencies[j] / form.ladder.frequencies[j]));
      const double away = std::max(quotient, 1 / quotient);
      if (!(away > apart)) continue;
      apart = away;
      where = j;
    }
    text += fmt::format("{}{} {:.2f} times (pair {})", text.empty() ? "" : ", ", form.name, apart,
                        where);
  }
  return text.empty() ? "" : "frequencies apart from the rule's usual form by up to: " + text;
}

std::string leaving_note(const std::vector<BentRule>& rules, const std::vector<Fingerprint>& prints,
                         const Stretching& stretching) {
  std::string text;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string usable = std::isinf(prints[i].usable)
                                   ? "any length"
                                   : fmt::format("usable to {:.2f}", prints[i].usable);
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", rules[i].name, prints[i].leaving,
                        usable);
  }
  return fmt::format(
      "pairs beyond the angles of {} positions trained{}, at length {}: {}", stretching.trained,
      stretching.is_supposed ? " (supposed: --trained says another)" : "", stretching.length, text);
}

Sheet measure(const Question& question) {
  const Stretching stretching = stretching_of(question);
  const BentRules bent = bent_rules(question, stretching);
  std::vector<std::string> names;
  std::vector<Fingerprint> prints;
  for (const BentRule& rule : bent.rules) {
    names.push_back(rule.name);
    prints.push_back(fingerprint_of(rule, bent.plain, stretching));
  }
  if (names.empty()) throw UsageError("no rule can be applied; " + left_out_note(bent.left_out));
  Sheet sheet;
  sheet.axes = {
      named_axis("rule", names, "scaling, and its form where that is not the usual one"),
      counted_axis("pair", static_cast<Index>(bent.plain.frequencies.size()), "pair of channels")};
  const auto column = [&](std::string name, std::string description, auto value) {
    Column made{.name = std::move(name),
                .description = std::move(description),
                .values = {},
                .error = one_rounding};
    for (std::size_t i = 0; i < prints.size(); ++i)
      for (const Bent& pair : prints[i].pairs)
        made.values.push_back(to_double(Real(value(pair, i))));
    sheet.columns.push_back(std::move(made));
  };
  column("ratio", "θ′/θ", [](const Bent& pair, auto) { return pair.ratio; });
  column("frequency", "θ′, scaled, in radians per position",
         [](const Bent& pair, auto) { return pair.scaled; });
  column("unscaled", "θ, before any scaling", [](const Bent& pair, auto) { return pair.theta; });
  column("wavelength", "2π/θ′, in positions",
         [](const Bent& pair, auto) { return wavelength(pair.scaled); });
  column("gamma", "share of θ that is kept: θ′ = (1 − γ)·θ/s + γ·θ",
         [](const Bent& pair, auto) { return pair.share; });
  column("attention_factor", "what multiplies cos and sin",
         [&](const Bent&, std::size_t i) { return bent.rules[i].ladder.magnitude; });
  column("angle", "the angle at the wanted length over the largest that training showed",
         [](const Bent& pair, auto) { return pair.angle; });
  column("leaves", "1: beyond the angles of training, which showed no whole period",
         [](const Bent& pair, auto) { return !pair.seen_whole && exceeds(pair.angle, 1) ? 1 : 0; });
  column("extension", "how many times the trained length the pair reaches without leaving",
         [](const Bent& pair, auto) { return pair.extension; });
  column("usable_extension", "the same of the whole rule: the least of its pairs",
         [&](const Bent&, std::size_t i) { return Real(prints[i].usable); });
  sheet.notes.push_back(leaving_note(bent.rules, prints, stretching));
  if (const std::string note = forms_note(bent.rules); !note.empty()) sheet.notes.push_back(note);
  if (const std::string note = left_out_note(bent.left_out); !note.empty())
    sheet.notes.push_back(note);
  return sheet;
}

}  // namespace

extern constinit const Quantity scaling{
    .name = "scaling",
    .also = "scalings ratio scaling-ratio 缩放 拉伸",
    .summary = "every scaling rule side by side at one factor: ratios, ramps, pairs out of range",
    .definition =
        "with s = --factor and L = --trained: ratio = θ′/θ, γ from θ′ = (1 − γ)·θ/s + γ·θ, angle = "
        "N·θ′/(L·θ) at N = --length (default s·L, which rules that look at the length see); a pair "
        "with 2π/θ > L leaves where angle > 1, "
        "and extension = θ/θ′. yarn's ramp is linear in the index of the pair, as its code has it; "
        "yarn:rotation in the turns L·θ/2π, as its paper has it",
    .source =
        "Peng et al. 2023, arXiv:2309.00071, eqs. 16-23; Su 2023, kexue.fm 9706 and 9948; each "
        "rule's own (pe-gen list scalings)",
    .accuracy = "computed to 120 digits; each number is the nearest double.",
    .columns =
        "ratio frequency unscaled wavelength gamma attention_factor angle leaves extension "
        "usable_extension",
    .subjects = "rope",
    .parameters = options,
    .example = "rope --model llama-2-7b --factor 16",
    .tries_rules = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
