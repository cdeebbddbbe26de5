// The choices, flags and numbers that stand beside those meant.
#include "pe/diagnosis/other_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace pe {
namespace {

std::vector<Setting> others_of(const Parameter& parameter, const Parameters& meant) {
  const auto usual = [](double value, bool whole) {
    std::set<double> numbers;
    for (const double other : {value / 2, 2 * value, 10 * value, value / 10})
      if (!whole || other == std::round(other)) numbers.insert(other);
    if (whole) numbers.insert({value - 1, value + 1});
    return numbers;
  };
  std::vector<Setting> others;
  switch (parameter.type) {
    case Parameter::Type::choice: {
      std::istringstream words(parameter.choices);
      for (std::string word; words >> word;)
        if (word != meant.choice(parameter.name)) others.emplace_back(word);
      break;
    }
    case Parameter::Type::flag:
      others.emplace_back(!meant.flag(parameter.name));
      break;
    case Parameter::Type::integer:
    case Parameter::Type::number: {
      const bool whole = parameter.type == Parameter::Type::integer;
      const double value = whole ? static_cast<double>(meant.integer(parameter.name))
                                 : meant.number(parameter.name).value();
      std::set<double> numbers = usual(value, whole);
      if (std::string_view(parameter.name) == "base") numbers.insert({1e4, 1e5, 5e5, 1e6});
      if (std::string_view(parameter.name) == "step") numbers.insert({0.1, 0.2, 0.25, 0.5, 1});
      numbers.erase(value);
      others.assign(numbers.begin(), numbers.end());
      break;
    }
    case Parameter::Type::numbers:  // one for all, left out of the formula
      others.emplace_back(std::string("1"));
      break;
    default:
      break;
  }
  return others;
}

}  // namespace

std::vector<OtherSetting> other_settings(const Expectation& expected) {
  std::vector<OtherSetting> all;
  if (!expected.remake) return all;
  for (const Parameter& parameter : expected.encoding->parameters) {
    const std::string name = parameter.name;
    if (!expected.parameters.has(name)) continue;
    const auto& entries = expected.parameters.entries();
    const auto meant = std::ranges::find(entries, name, &Parameters::Entry::name);
    for (const Setting& other : others_of(parameter, expected.parameters))
      if (auto made = expected.remake({{name, other}}))
        all.push_back(
            {std::move(*made),
             fmt::format("{} {}, where {} ({}) is meant", name, spell(other), meant->text,
                         expected.parameters.origin(name)),
             parameter.type == Parameter::Type::flag || parameter.type == Parameter::Type::choice});
  }
  return all;
}

}  // namespace pe
