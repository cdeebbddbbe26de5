// Rules over one ladder: parameters for each of them, and its forms.
#include "pe/analyze/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/work.hpp"

namespace pe {
namespace {

const std::string& own_rule(const Subject& subject) { return subject.parameters.choice("scaling"); }

// What was said by hand of scalings, be it of the subject's or of all.
Given said_by_hand(const Question& question) {
  Given said;
  for (const Parameters::Entry& entry : question.options.entries())
    if (entry.origin != "default") said[entry.name] = {entry.text, entry.origin};
  for (const auto& [name, value] : question.subject.flags) said.try_emplace(name, value);
  return said;
}

Given parameters_for(const Question& question, const Stretching& stretching, const Scaling& rule) {
  const Subject& subject = question.subject;
  const Given by_hand = said_by_hand(question);
  const auto over = by_hand.find("over");
  const Scaling* under =
      rule.name == "resonance" && over != by_hand.end() && over->second.text != "none"
          ? &find_scaling(over->second.text)
          : nullptr;
  const auto has = [&](std::string_view name) {
    return reads(rule, name) || (under && reads(*under, name));
  };
  Given given;
  for (const Parameters::Entry& entry : subject.parameters.entries()) {
    const bool of_rope = std::ranges::any_of(
        subject.encoding->parameters, [&](const Parameter& row) { return row.name == entry.name; });
    if (of_rope || own_rule(subject) == rule.name) given[entry.name] = {entry.text, entry.origin};
  }
  for (const auto& [name, value] : by_hand)
    if (has(name)) given[name] = value;
  given["scaling"] = {std::string(rule.name), "the rule"};
  if (has("alpha")) given.erase("alpha");  // another name of the factor
  if (has("factor")) given["factor"] = {stretching.factor, "the factor"};
  if (has("original-max-position"))
    given["original-max-position"] = {fmt::format("{:.0f}", stretching.trained),
                                      "what was trained"};
  return given;
}

// Throws UsageError where the rule cannot be applied, with the reason.
BentRule bent_rule(const Question& question, const Stretching& stretching, const Scaling& rule,
                   const Given& given, const Ladder& plain) {
  const Subject& subject = question.subject;
  BentRule made{.name = std::string(rule.name),
                .scaling = &rule,
                .parameters = complete(schema_of(*subject.encoding), {}, given, subject.load),
                .ladder = {}};
  for (const Parameter& row : rule.parameters)
    if (row.required && !made.parameters.has(row.name))
      throw UsageError(fmt::format("it needs --{} ({})", row.name, row.help));
  const bool is_whole = own_rule(subject) != "none" && find_scaling(own_rule(subject)).whole_head;
  if (rule.whole_head != is_whole && subject.parameters.integer("dim") != Index{plain.dim})
    throw UsageError("it bends other pairs, those of the whole head");
  if (is_whole && !rule.whole_head &&
      subject.parameters.number("partial-rotary-factor").real() != 1)
    throw UsageError("it bends other pairs, those of the channels that turn");
  made.ladder = rule.bend(plain, made.parameters, stretching.length);
  return made;
}

bool is_alike(const Ladder& a, const Ladder& b) {
  return a.magnitude == b.magnitude &&
         std::ranges::equal(a.frequencies, b.frequencies, [](const Real& one, const Real& other) {
           return to_double(one) == to_double(other);
         });
}

// The rule in its usual form, and in each that another choice makes of it and that bends anything.
std::vector<BentRule> forms_of(const Question& question, const Stretching& stretching,
                               const Scaling& rule, const Ladder& plain) {
  const Given usual = parameters_for(question, stretching, rule);
  const Given by_hand = said_by_hand(question);
  std::vector<BentRule> forms{bent_rule(question, stretching, rule, usual, plain)};
  for (const Parameter& row : rule.parameters) {
    if (row.type != Parameter::Type::choice || by_hand.contains(row.name)) continue;
    for (const std::string& choice : words(row.choices)) {
      Given other = usual;
      other[row.name] = {choice, "the form"};
      try {
        BentRule form = bent_rule(question, stretching, rule, other, plain);
        form.name = fmt::format("{}:{}", rule.name, choice);
        const auto is_known = [&](const BentRule& known) {
          return is_alike(known.ladder, form.ladder);
        };
        if (!is_alike(plain, form.ladder) && std::ranges::none_of(forms, is_known))
          forms.push_back(std::move(form));
      } catch (const UsageError&) {  // a form of another rule with the same parameter
      }
    }
  }
  return forms;
}

// Names that --rules asks for, checked as far as a catalogue can.
std::vector<std::string> names_asked(const Question& question) {
  std::vector<std::string> names;
  if (!question.options.has("rules")) return names;
  const std::string& text = question.options.choice("rules");
  if (text == "all") return names;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    names.push_back(text.substr(start, comma - start));
    start = comma + 1;
    find_scaling(names.back().substr(0, names.back().find(':')));
  }
  return names;
}

void add_asked(BentRules& bent, const Question& question, const Stretching& stretching,
               const std::string& name) {
  const Scaling& rule = find_scaling(name.substr(0, name.find(':')));
  std::vector<BentRule> forms;
  try {
    forms = forms_of(question, stretching, rule, bent.plain);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--rules {}: {}", name, error.what()));
  }
  std::vector<std::string> known;
  for (const BentRule& form : forms) known.push_back(form.name);
  const auto found = std::ranges::find(known, name);
  if (found == known.end())
    throw UsageError(
        fmt::format("--rules: no '{}' here, there are {}", name, fmt::join(known, ", ")));
  bent.rules.push_back(std::move(forms[static_cast<std::size_t>(found - known.begin())]));
}

std::string factor_text(const Question& question, double trained) {
  const Parameters &options = question.options, &parameters = question.subject.parameters;
  for (const char* name : {"factor", "alpha"}) {
    if (options.has(name)) return options.choice(name);
    if (parameters.has(name)) return fmt::format("{}", parameters.number(name).real().str());
  }
  if (own_rule(question.subject) != "none" && parameters.has("max-position") &&
      static_cast<double>(parameters.integer("max-position")) > trained)
    return Real(Real(parameters.integer("max-position")) / Real(trained)).str(40);
  return "8";
}

Index decided_length(const Question& question, Index length) {
  question.decide("positions", spell(first_positions(length)), "trained times factor");
  return length;
}

}  // namespace

std::string left_out_note(const std::vector<LeftOut>& left_out) {
  std::vector<LeftOut> joined;  // rules that have one reason
  for (const LeftOut& one : left_out) {
    const auto known = std::ranges::find(joined, one.reason, &LeftOut::reason);
    if (known == joined.end())
      joined.push_back(one);
    else
      known->rule += ", " + one.rule;
  }
  std::string note;
  for (const LeftOut& one : joined)
    note += fmt::format("{}{}: {}", note.empty() ? "left out: " : "; ", one.rule, one.reason);
  return note;
}

bool reads(const Scaling& rule, std::string_view parameter) {
  return std::ranges::any_of(rule.parameters,
                             [&](const Parameter& row) { return row.name == parameter; });
}

Ladder plain_ladder(const Subject& subject) {
  const auto pairs = static_cast<Index>(std::get<Rotation>(subject.effect).unscaled.size());
  return geometric_ladder(subject.parameters.number("base").real(), 2 * pairs, pairs);
}

Stretching stretching_of(const Question& question) {
  Stretching made;
  const Parameters& options = question.options;
  if (options.has("trained"))
    made.trained = static_cast<double>(options.integer("trained"));
  else if (options.has("original-max-position"))
    made.trained = static_cast<double>(options.integer("original-max-position"));
  else if (const auto known = trained_length(question.subject)) {
    made.trained = static_cast<double>(*known);
    decide_trained(question);
  } else {
    made.trained = 4096;
    made.is_supposed = true;
    question.decide("trained", "4096");
  }
  made.factor = factor_text(question, made.trained);
  if (!options.has("factor")) question.decide("factor", made.factor);
  // Rounded down: a rule that divides by the factor does not leave for a fraction of a position.
  const double reached =
      std::max(1.0, std::floor(to_double(Decimal(made.factor).real() * Real(made.trained))));
  if (question.subject.positions_given())
    made.length = question.subject.length;
  else if (reached < 0x1p53)
    made.length = decided_length(question, static_cast<Index>(reached));
  else
    throw UsageError(
        fmt::format("--factor {} times {} positions is beyond 2^53: choose a smaller "
                    "factor",
                    made.factor, made.trained));
  return made;
}

BentRules bent_rules(const Question& question, const Stretching& stretching) {
  const std::vector<std::string> names = names_asked(question);
  const auto is_meant = [&](const Scaling* rule) {
    return reads(*rule, "factor") || own_rule(question.subject) == rule->name;
  };
  const auto pairs =
      static_cast<double>(std::get<Rotation>(question.subject.effect).unscaled.size());
  const auto rules = static_cast<double>(
      names.empty() ? std::ranges::count_if(all_scalings(), is_meant) : std::ssize(names));
  begin({.what = fmt::format("{} rules of {} pairs in 120 digits", rules, pairs),
         .operations = rules * pairs,
         .per_second = 5e4,
         .levers = {{"dim", 2 * pairs}},
         .other = "fewer --rules"});
  BentRules bent{.rules = {}, .left_out = {}, .plain = plain_ladder(question.subject)};
  for (const std::string& name : names) add_asked(bent, question, stretching, name);
  if (!names.empty()) return bent;
  for (const Scaling* rule : all_scalings()) {
    if (!is_meant(rule)) continue;
    try {
      for (BentRule& form : forms_of(question, stretching, *rule, bent.plain))
        bent.rules.push_back(std::move(form));
    } catch (const UsageError& error) {
      bent.left_out.push_back({std::string(rule->name), error.what()});
    }
  }
  return bent;
}

}  // namespace pe
