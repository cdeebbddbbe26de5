// Settings: parameters as typed values, for whoever tries many of them; texts are made at the end.
#pragma once

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pe/model/parameter.hpp"

namespace pe {

/// A number, a flag, a word or a list of numbers.
using Setting = std::variant<double, bool, std::string, std::vector<double>>;
using Settings = std::map<std::string, Setting, std::less<>>;

/// Every value that is a number, a flag, a word or a list; tensors are left out.
Settings settings_of(const Parameters& parameters);

/// The fallbacks of a schema.
Settings fallbacks_of(std::span<const Parameter> schema);

/// "8192", "0.25", "false": the shortest text that is the value.
std::string spell(const Setting& setting);
std::string spell_number(double value);

/// The same as texts, of the origin that is said.
Given texts_of(const Settings& settings, const std::string& origin);

/// The number by that name; `otherwise` where there is none.
double number_in(const Settings& settings, std::string_view name, double otherwise);

}  // namespace pe
