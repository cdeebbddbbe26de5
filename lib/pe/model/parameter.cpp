// Completing and checking parameters.
#include "pe/model/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "pe/base/error.hpp"
#include "pe/model/axis_letters.hpp"
#include "pe/model/naming.hpp"
#include "pe/model/number.hpp"

namespace pe {
namespace {

std::string from(const std::string& origin) {
  if (origin.starts_with("config ")) return fmt::format(" (from config key {})", origin.substr(7));
  // What tensors say is no option that anybody gave.
  if (origin == "last size of --random")
    return " (the last size of --random, which takes batch, heads, positions, width)";
  return origin.starts_with("shape of --") ? fmt::format(" (the {})", origin) : "";
}

[[noreturn]] void refuse(const Parameter& parameter, const GivenValue& value,
                         std::string_view expected) {
  refuse_value({parameter.name, value.text, value.origin}, expected);
}

void check_number(const Parameter& parameter, const GivenValue& value, const std::string& text) {
  checked_number({parameter.name, value.text, value.origin}, text,
                 {.whole = parameter.type == Parameter::Type::integer,
                  .lowest = parameter.lowest,
                  .highest = parameter.highest});
}

std::vector<std::string> items(std::string_view text) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    items.emplace_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return items;
}

// "[16, 24, 24]" as Python has it, and "16 24 24", as a list with commas alone.
std::string as_list(std::string text) {
  for (const std::string_view pair : {"[]", "()", "{}"})
    if (text.size() > 1 && text.front() == pair[0] && text.back() == pair[1])
      text = text.substr(1, text.size() - 2);
  if (text.find(',') == std::string::npos) return fmt::format("{}", fmt::join(words(text), ","));
  std::erase(text, ' ');
  return text;
}

[[noreturn]] void refuse_choice(const Parameter& parameter, const GivenValue& value,
                                const std::vector<std::string>& choices) {
  std::vector<Named> names;
  for (const std::string& choice : choices) names.push_back({choice});
  std::string near = value.text.empty() ? "" : did_you_mean(value.text, names);
  const bool is_layout = std::string_view(parameter.name) == "layout";
  if (const std::string axes = axes_meant(value.text); near.empty() && is_layout && axes.size() > 2)
    near =
        fmt::format("pe-apply and pe-verify check are told the axes of tensors by --axes {}", axes);
  refuse_value({parameter.name, value.text, value.origin},
               fmt::format("one of {}", fmt::join(choices, ", ")), near.empty() ? "" : ": " + near);
}

/// The choice that a word stands for; the word itself, where it stands for none.
std::string chosen(const Parameter& parameter, const std::string& word) {
  for (const std::string& pair : words(parameter.also ? parameter.also : ""))
    if (pair.starts_with(word + "=")) return pair.substr(word.size() + 1);
  return word;
}

void check(const Parameter& parameter, const GivenValue& value) {
  using Type = Parameter::Type;
  switch (parameter.type) {
    case Type::integer:
    case Type::number:
      check_number(parameter, value, value.text);
      return;
    case Type::numbers:
      for (const std::string& item : items(value.text)) check_number(parameter, value, item);
      return;
    case Type::flag:
      if (value.text != "true" && value.text != "false") refuse(parameter, value, "true or false");
      return;
    case Type::choice: {
      const auto choices = words(parameter.choices);
      if (std::ranges::find(choices, value.text) == choices.end())
        refuse_choice(parameter, value, choices);
      return;
    }
    case Type::name:
    case Type::tensor:
      return;
  }
}

}  // namespace

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t space = std::min(text.find(' ', start), text.size());
    if (space > start) words.emplace_back(text.substr(start, space - start));
    start = space + 1;
  }
  return words;
}

Parameters complete(const std::vector<Parameter>& schema, const Given& flags, const Given& config,
                    const std::function<Array(const std::string&)>& load) {
  Parameters parameters;
  for (const Parameter& parameter : schema) {
    GivenValue value;
    if (const auto flag = flags.find(parameter.name); flag != flags.end())
      value = flag->second;
    else if (const auto key = config.find(parameter.name); key != config.end())
      value = key->second;
    else if (parameter.fallback)
      value = {parameter.fallback, "default"};
    else
      continue;
    value.text = chosen(parameter, value.text);
    if (parameter.type == Parameter::Type::numbers) value.text = as_list(value.text);
    check(parameter, value);
    Array tensor;
    if (parameter.type == Parameter::Type::tensor) tensor = load(value.text);
    parameters.entries_.push_back(
        {parameter.name, value.text, value.origin, parameter.type, tensor});
  }
  return parameters;
}

const Parameters::Entry& Parameters::entry(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  if (found == entries_.end())
    throw UsageError(fmt::format("--{} is needed here and has no value", name));
  return *found;
}

bool Parameters::has(std::string_view name) const {
  return std::ranges::find(entries_, name, &Entry::name) != entries_.end();
}

Index Parameters::integer(std::string_view name) const {
  return Decimal(entry(name).text).integer();
}
Decimal Parameters::number(std::string_view name) const { return Decimal(entry(name).text); }

std::vector<Decimal> Parameters::numbers(std::string_view name) const {
  std::vector<Decimal> numbers;
  for (const std::string& item : items(entry(name).text)) numbers.emplace_back(item);
  return numbers;
}

bool Parameters::flag(std::string_view name) const { return entry(name).text == "true"; }
const std::string& Parameters::choice(std::string_view name) const { return entry(name).text; }
const Array& Parameters::tensor(std::string_view name) const { return entry(name).tensor; }

const std::string& Parameters::origin(std::string_view name) const { return entry(name).origin; }

std::string Parameters::spell(std::string_view name) const {
  const Entry& found = entry(name);
  return found.text + from(found.origin);
}

}  // namespace pe
