// Numbers that somebody typed, checked; the message that refuses one is the same everywhere.
#pragma once

#include <string_view>

#include "pe/base/decimal.hpp"
#include "pe/base/dtype.hpp"

namespace pe {

/// An option's or a parameter's text, and where it came from ("flag --dim", "config head_dim").
struct TypedValue {
  std::string_view name;  // without dashes
  std::string_view text;
  std::string_view origin = "";
};

/// What a number has to be. Bounds are decimal text, inclusive; null: none.
struct NumberRule {
  bool whole = false;
  const char* lowest = nullptr;
  const char* highest = nullptr;
};

/// Throws UsageError: "--NAME must be EXPECTED, got TEXT", with the key where a config said it, and
/// `hint` behind that.
[[noreturn]] void refuse_value(const TypedValue& value, std::string_view expected,
                               std::string_view hint = "");

/// `item` (the value's text, or one item of it) as a number that obeys the rule; else UsageError.
Decimal checked_number(const TypedValue& value, std::string_view item, const NumberRule& rule);

/// The value of an option that is a whole number between two bounds.
Index whole_number(std::string_view name, std::string_view text, const char* lowest,
                   const char* highest);

/// 2^53: every whole number up to here is a double.
constexpr const char* largest_whole = "9007199254740992";

}  // namespace pe
