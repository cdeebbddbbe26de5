// A number as somebody wrote it: the decimal text is the value, not its nearest double.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pe/base/real.hpp"

namespace pe {

/// A finite decimal number: [sign] digits [. digits] [e exponent].
class Decimal {
 public:
  Decimal() : Decimal("0") {}

  /// Throws UsageError when `text` is not a finite decimal number (nan, inf, hex and blanks are
  /// not).
  explicit Decimal(std::string_view text);

  explicit Decimal(std::int64_t value);

  const std::string& text() const { return text_; }
  Real real() const;
  double value() const { return to_double(real()); }

  /// True when the number is whole and its magnitude at most 2^63 − 1.
  bool is_integer() const;
  /// The number itself; throws UsageError when it is not an integer.
  std::int64_t integer() const;

 private:
  std::string text_;
};

}  // namespace pe
