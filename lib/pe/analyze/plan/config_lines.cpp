// JSON for rules, as transformers reads it.
#include "pe/analyze/plan/config_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"

namespace pe {
namespace {

// rope_type of transformers' modeling_rope_utils.py, and the rules that mean the same here.
constexpr std::string_view known_types = "linear dynamic yarn longrope llama3 proportional";

// The shortest text that reads back to the same double; a whole number with .0, for readers that
// tell integers from numbers.
std::string json_number(const Real& value) {
  const std::string text = fmt::format("{}", to_double(value));
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

// The value of a parameter as JSON; a whole number stays one where only whole numbers are taken.
std::string json_of(const BentRule& rule, const Parameter& row) {
  const Parameters& values = rule.parameters;
  if (row.type == Parameter::Type::integer) return fmt::format("{}", values.integer(row.name));
  if (row.type == Parameter::Type::flag) return values.flag(row.name) ? "true" : "false";
  if (row.type == Parameter::Type::number) return json_number(values.number(row.name).real());
  std::string list;
  for (const Decimal& one : values.numbers(row.name))
    list += (list.empty() ? "" : ", ") + json_number(one.real());
  return "[" + list + "]";
}

// Whether config.json can say everything in which the rule differs from its usual form.
bool can_be_said(const Subject& subject, const BentRule& rule) {
  const auto types = words(known_types);
  const Family* family = subject.reading.family;
  if (family && family->types.starts_with("phi3") && rule.scaling->name == "yarn")
    return false;  // Phi-3's configuration takes yarn for another name of longrope
  if (std::ranges::find(types, rule.scaling->name) == types.end()) return false;
  return std::ranges::none_of(rule.scaling->parameters, [&](const Parameter& row) {
    return !row.config && rule.parameters.has(row.name) &&
           (!row.fallback || rule.parameters.choice(row.name) != row.fallback);
  });
}

// Where the subject's config keeps its base: rope_theta at the top, beside a rope_scaling, or
// within rope_parameters, maybe of a kind of layers; all of it maybe below text_config.
struct Home {
  std::vector<std::string> outer, objects;  // objects: rope_parameters and what is inside, or none
  std::string base_key = "rope_theta";
};

Home home_of(const Subject& subject) {
  Home home;
  const std::string& origin = subject.parameters.origin("base");
  if (!origin.starts_with("config ")) return home;
  std::string path = origin.substr(7);
  for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
    const std::string object = path.substr(0, dot);
    if (object == "rope_parameters" || !home.objects.empty())
      home.objects.push_back(object);
    else if (object != "rope_scaling")
      home.outer.push_back(object);
    path = path.substr(dot + 1);
  }
  home.base_key = path;
  return home;
}

std::string base_line(const Home& home, const Real& base) {
  return fmt::format("\"{}\": {}", home.base_key,
                     json_number(home.base_key == "rope_ratio" ? Real(base / 10000) : base));
}

std::string joined(const std::vector<std::string>& members) {
  return fmt::format("{}", fmt::join(members, ", "));
}

// The members of rope_parameters, which stands instead of the one that there is.
std::string inside(const Subject& subject, const Home& home, const Real& base,
                   const std::string& rule) {
  std::vector<std::string> members{rule.empty() ? "\"rope_type\": \"default\"" : rule,
                                   base_line(home, base)};
  if (subject.parameters.origin("partial-rotary-factor").find("rope_parameters") !=
      std::string::npos)
    members.push_back(
        fmt::format("\"partial_rotary_factor\": {}",
                    json_number(subject.parameters.number("partial-rotary-factor").real())));
  return joined(members);
}

// `rule`: members of the object that names it, or "" for none; `longest`: max_position_embeddings
// where it must change, or "". What is already so is not written.
std::string written(const Subject& subject, const Home& home, const Real& base,
                    const std::string& rule, const std::string& longest) {
  std::vector<std::string> members;
  if (!longest.empty()) members.push_back("\"max_position_embeddings\": " + longest);
  const bool is_other = base != subject.parameters.number("base").real(),
             has_rule = subject.parameters.choice("scaling") != "none";
  if (home.objects.empty()) {
    if (is_other) members.push_back(base_line(home, base));
    if (!rule.empty())
      members.push_back("\"rope_scaling\": {" + rule + "}");
    else if (has_rule)
      members.emplace_back("\"rope_scaling\": {\"rope_type\": \"default\"}");
  } else if (is_other || has_rule || !rule.empty()) {
    std::string object = inside(subject, home, base, rule);
    for (std::size_t i = home.objects.size(); i-- > 0;)
      object = fmt::format("\"{}\": {{{}}}", home.objects[i], object);
    members.push_back(object);
  }
  std::string text = joined(members);
  for (std::size_t i = home.outer.size(); i-- > 0 && !members.empty();)
    text = fmt::format("\"{}\": {{{}}}", home.outer[i], text);
  return "{" + text + "}";
}

std::string members_of(const BentRule& rule) {
  std::string members = fmt::format("\"rope_type\": \"{}\"", rule.scaling->name);
  for (const Parameter& row : rule.scaling->parameters) {
    // dynamic's original length is max_position_embeddings.
    const bool is_outside =
        rule.scaling->name == "dynamic" && std::string_view(row.name) == "original-max-position";
    if (!row.config || is_outside || !rule.parameters.has(row.name)) continue;
    if (rule.parameters.origin(row.name) != "default")
      members += fmt::format(", \"{}\": {}", row.config, json_of(rule, row));
  }
  return members;
}

std::string list_members(const BentRule& rule, const Ladder& plain, const Stretching& stretching) {
  std::string list;
  for (std::size_t j = 0; j < plain.frequencies.size(); ++j)
    list +=
        (list.empty() ? "" : ", ") + json_number(plain.frequencies[j] / rule.ladder.frequencies[j]);
  return fmt::format(
      "\"rope_type\": \"longrope\", \"factor\": {}, \"original_max_position_embeddings\": {:.0f}, "
      "\"attention_factor\": {}, \"short_factor\": [{}], \"long_factor\": [{}]",
      json_number(Decimal(stretching.factor).real()), stretching.trained,
      json_number(rule.ladder.magnitude), list, list);
}

}  // namespace

std::string config_lines(const Subject& subject, const BentRule& rule,
                         const Stretching& stretching) {
  const Home home = home_of(subject);
  const Ladder plain = plain_ladder(subject);
  const std::string nothing = "no config.json says this";
  const std::string& own = subject.parameters.choice("scaling");
  // Pairs of the whole head, some of which stand still: without a rule the config means other
  // pairs.
  const bool needs_rule = own != "none" && find_scaling(own).whole_head &&
                          subject.parameters.number("partial-rotary-factor").real() != 1;
  if (!rule.scaling && needs_rule) return nothing;
  if (!rule.scaling) return written(subject, home, plain.base, "", "");
  if (can_be_said(subject, rule))
    return written(
        subject, home, plain.base, members_of(rule),
        rule.scaling->name == "dynamic" ? fmt::format("{:.0f}", stretching.trained) : "");
  const bool is_base_alone =
      rule.ladder.recipe.rule == LadderRule::plain && rule.ladder.magnitude == 1;
  if (is_base_alone) return written(subject, home, rule.ladder.recipe.base, "", "");
  const bool stands_still =
      std::ranges::any_of(rule.ladder.frequencies, [](const Real& one) { return one == 0; });
  return stands_still
             ? nothing
             : written(subject, home, plain.base, list_members(rule, plain, stretching), "");
}

}  // namespace pe
