// Checking numbers.
#include "pe/model/number.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {

void refuse_value(const TypedValue& value, std::string_view expected) {
  const std::string from = value.origin.starts_with("config ")
                               ? fmt::format(" (from config key {})", value.origin.substr(7))
                               : "";
  throw UsageError(fmt::format("--{} must be {}, got {}{}", value.name, expected,
                               value.text.empty() ? "nothing" : value.text, from));
}

Decimal checked_number(const TypedValue& value, std::string_view item, const NumberRule& rule) {
  const auto number = [&] {
    try {
      return Decimal(item);
    } catch (const UsageError&) {
      refuse_value(value, rule.whole ? "a whole number" : "a finite decimal number");
    }
  }();
  if (rule.whole && !number.is_integer()) refuse_value(value, "a whole number");
  const bool low = rule.lowest && number.real() < Decimal(std::string_view(rule.lowest)).real();
  const bool high = rule.highest && number.real() > Decimal(std::string_view(rule.highest)).real();
  if (!low && !high) return number;
  if (rule.lowest && rule.highest)
    refuse_value(value, fmt::format("between {} and {}", rule.lowest, rule.highest));
  refuse_value(value, low ? fmt::format("at least {}", rule.lowest)
                          : fmt::format("at most {}", rule.highest));
}

Index whole_number(std::string_view name, std::string_view text, const char* lowest,
                   const char* highest) {
  const NumberRule rule{.whole = true, .lowest = lowest, .highest = highest};
  return checked_number({name, text}, text, rule).integer();
}

}  // namespace pe
