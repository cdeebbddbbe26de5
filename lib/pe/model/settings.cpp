// Parameters into settings, settings into texts.
#include "pe/model/settings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pe {

Settings settings_of(const Parameters& parameters) {
  Settings settings;
  for (const Parameters::Entry& entry : parameters.entries()) switch (entry.type) {
      case Parameter::Type::integer:
      case Parameter::Type::number:
        settings[entry.name] = parameters.number(entry.name).value();
        break;
      case Parameter::Type::numbers: {
        std::vector<double> list;
        for (const Decimal& number : parameters.numbers(entry.name)) list.push_back(number.value());
        settings[entry.name] = std::move(list);
        break;
      }
      case Parameter::Type::flag:
        settings[entry.name] = parameters.flag(entry.name);
        break;
      case Parameter::Type::choice:
      case Parameter::Type::name:
        settings[entry.name] = parameters.choice(entry.name);
        break;
      case Parameter::Type::tensor:
        break;
    }
  return settings;
}

Settings fallbacks_of(std::span<const Parameter> schema) {
  Settings settings;
  for (const Parameter& row : schema) {
    if (!row.fallback) continue;
    const std::string text = row.fallback;
    if (row.type == Parameter::Type::flag)
      settings[row.name] = text == "true";
    else if (row.type == Parameter::Type::integer || row.type == Parameter::Type::number)
      settings[row.name] = Decimal(text).value();
    else
      settings[row.name] = text;
  }
  return settings;
}

std::string spell_number(double value) {
  return value == std::floor(value) && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{}", value);
}

std::string spell(const Setting& setting) {
  if (const double* number = std::get_if<double>(&setting)) return spell_number(*number);
  if (const bool* flag = std::get_if<bool>(&setting)) return *flag ? "true" : "false";
  if (const std::string* word = std::get_if<std::string>(&setting)) return *word;
  std::vector<std::string> texts;
  for (const double value : std::get<std::vector<double>>(setting))
    texts.push_back(spell_number(value));
  return fmt::format("{}", fmt::join(texts, ","));
}

Given texts_of(const Settings& settings, const std::string& origin) {
  Given given;
  for (const auto& [name, setting] : settings) given[name] = {spell(setting), origin, ""};
  return given;
}

double number_in(const Settings& settings, std::string_view name, double otherwise) {
  const auto found = settings.find(name);
  if (found == settings.end()) return otherwise;
  const double* number = std::get_if<double>(&found->second);
  return number ? *number : otherwise;
}

}  // namespace pe
