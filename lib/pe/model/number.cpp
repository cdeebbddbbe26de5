// Checking numbers.
#include "pe/model/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pe/base/error.hpp"

namespace pe {
namespace {

bool is_number(std::string_view text) {
  try {
    Decimal{text};
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// "4096" of " 4_096 " and "4,096": digits in groups, as people write them for each other.
std::string without_groups(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_mark = text[i] == '_' || text[i] == ',' || text[i] == ' ' || text[i] == '\'';
    if (is_mark && text[i] == ',' && (text.size() - i - 1) % 4 != 3) return "";
    if (!is_mark) digits += text[i];
  }
  return is_number(digits) ? digits : "";
}

// "4" of "4x" and "x4".
std::string times(std::string_view text) {
  for (const std::string_view sign : {"x", "X", "×"}) {
    if (text.ends_with(sign) && is_number(text.substr(0, text.size() - sign.size())))
      return std::string(text.substr(0, text.size() - sign.size()));
    if (text.starts_with(sign) && is_number(text.substr(sign.size())))
      return std::string(text.substr(sign.size()));
  }
  return "";
}

// 8k is 8192 to some and 8000 to others, and 2^13 is no number here.
std::string computed(std::string_view text) {
  if (text.size() < 2) return "";
  const std::string_view units = "kKMG";
  const std::size_t unit = units.find(text.back());
  const std::string front(text.substr(0, text.size() - 1));
  if (unit != std::string_view::npos && is_number(front)) {
    const int power = unit < 2 ? 1 : static_cast<int>(unit);
    const double value = std::strtod(front.c_str(), nullptr);
    const double binary = value * std::pow(1024, power), decimal = value * std::pow(1000, power);
    if (std::fabs(binary) > 0x1p53 || binary != std::trunc(binary)) return "";
    return fmt::format("{:.0f} or {:.0f}", binary, decimal);
  }
  if (text.back() == '%' && is_number(front))
    return fmt::format("{}", std::strtod(front.c_str(), nullptr) / 100);
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string above(text.substr(0, slash)), below(text.substr(slash + 1));
    if (!is_number(above) || !is_number(below)) return "";
    const double value = std::strtod(above.c_str(), nullptr) / std::strtod(below.c_str(), nullptr);
    return std::isfinite(value) ? fmt::format("{}", value) : "";
  }
  for (const std::string_view sign : {"**", "^"})
    if (const std::size_t at = text.find(sign); at != std::string_view::npos) {
      const std::string base(text.substr(0, at)), exponent(text.substr(at + sign.size()));
      if (!is_number(base) || !is_number(exponent)) return "";
      const double value =
          std::pow(std::strtod(base.c_str(), nullptr), std::strtod(exponent.c_str(), nullptr));
      return value == std::trunc(value) && std::fabs(value) <= 0x1p53 ? fmt::format("{:.0f}", value)
                                                                      : "";
    }
  return "";
}

// "64" of "=64", "64," and "64.f": marks of other languages around a number.
std::string without_marks(std::string_view text) {
  const std::size_t first = text.find_first_not_of("=:"), last = text.find_last_not_of(",;fFlL");
  if (first == std::string_view::npos || last == std::string_view::npos || last < first) return "";
  const std::string bare(text.substr(first, last - first + 1));
  return is_number(bare) ? bare : "";
}

// "64,128": numbers that no thousands can be, or that may be meant one by one.
bool is_list(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return false;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view item = text.substr(start, comma - start);
    if (!is_number(item) || (item.starts_with('0') && item.size() > 1)) return false;
    start = comma + 1;
  }
  return true;
}

// "0:16" where a length belongs.
bool is_run(std::string_view text) {
  return text.find(':') != std::string_view::npos &&
         text.find_first_not_of("0123456789:") == std::string_view::npos;
}

// "8k" of "8ki", "8KB" and "8 KiB"; "64" of "64px": a number before letters, or its unit alone.
std::string without_words(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789._");
  if (digits == 0 || digits == std::string_view::npos) return "";
  const std::string number(text.substr(0, digits));
  std::string unit(text.substr(digits));
  std::erase(unit, ' ');
  if (unit.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") !=
      std::string::npos)
    return "";
  constexpr std::string_view bytes[] = {"i", "iB", "ib", "B", "b"};
  const bool is_size =
      std::string_view("kKMG").find(unit.front()) != std::string_view::npos &&
      (unit.size() == 1 ||
       std::ranges::find(bytes, std::string_view(unit).substr(1)) != std::end(bytes));
  if (is_size) return computed(number + unit.front());
  return is_number(number) ? number : "";
}

// "10000000" of "10.000.000", as some countries write it.
std::string without_points(std::string_view text) {
  std::string digits;
  std::size_t points = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' && (text.size() - i - 1) % 4 != 3) return "";
    points += text[i] == '.';
    if (text[i] != '.') digits += text[i];
  }
  return points > 1 && is_number(digits) ? digits : "";
}

// What a number written otherwise may be meant to be, for the end of a message.
std::string meant_by(std::string_view text, std::string_view name, bool whole) {
  if (name == "length" && is_run(text)) return fmt::format(": a run is --positions {}", text);
  std::string meant = without_groups(text);
  if (is_list(text))
    return meant.empty() ? ": one number is taken here, not a list"
                         : fmt::format(": did you mean {}? A list is not taken here", meant);
  if (meant.empty()) meant = computed(text);
  if (meant.empty()) meant = times(text);
  if (meant.empty()) meant = without_marks(text);
  if (meant.empty()) meant = without_points(text);
  if (meant.empty()) meant = without_words(text);
  if (whole && meant.find('.') != std::string::npos) meant.clear();
  return meant.empty() ? "" : fmt::format(": did you mean {}?", meant);
}

}  // namespace

void refuse_value(const TypedValue& value, std::string_view expected, std::string_view hint) {
  const std::string from = value.origin.starts_with("config ")
                               ? fmt::format(" (from config key {})", value.origin.substr(7))
                               : "";
  throw UsageError(fmt::format("--{} must be {}, got {}{}{}", value.name, expected,
                               value.text.empty() ? "nothing" : value.text, from, hint));
}

Decimal checked_number(const TypedValue& value, std::string_view item, const NumberRule& rule) {
  const auto number = [&] {
    try {
      return Decimal(item);
    } catch (const UsageError&) {
      refuse_value(value, rule.whole ? "a whole number" : "a finite decimal number",
                   meant_by(item, value.name, rule.whole));
    }
  }();
  if (rule.whole && trunc(number.real()) != number.real()) refuse_value(value, "a whole number");
  const bool low = rule.lowest && number.real() < Decimal(std::string_view(rule.lowest)).real();
  const bool high = rule.highest && number.real() > Decimal(std::string_view(rule.highest)).real();
  if (!low && !high && rule.whole && !number.is_integer())
    refuse_value(value, "a whole number below 2^63");
  if (!low && !high && !std::isfinite(number.value()))
    refuse_value(value, "a number that double precision reaches, at most 1.8e308");
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
