// Decimal text, checked once and kept as written.
#include "pe/base/decimal.hpp"

#include <fmt/format.h>

#include <cctype>

#include "pe/base/error.hpp"

namespace pe {
namespace {

bool is_decimal(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) ++i;
    return i - start;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  std::size_t count = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    count += digits();
  }
  if (count == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    const std::size_t exponent = digits();
    if (exponent == 0 || exponent > 5) return false;
  }
  return i == text.size() && text.size() <= 4096;
}

}  // namespace

Real real_pi() {
  Real pi;
  mpfr_const_pi(pi.backend().data(), MPFR_RNDN);
  return pi;
}

Decimal::Decimal(std::string_view text) : text_(text) {
  if (!is_decimal(text)) throw UsageError(fmt::format("'{}' is not a finite decimal number", text));
}

Decimal::Decimal(std::int64_t value) : text_(std::to_string(value)) {}

Real Decimal::real() const { return Real(text_[0] == '+' ? text_.substr(1) : text_); }

bool Decimal::is_integer() const {
  const Real value = real();
  return trunc(value) == value && abs(value) <= Real(INT64_MAX);
}

std::int64_t Decimal::integer() const {
  if (!is_integer()) throw UsageError(fmt::format("'{}' is not a whole number", text_));
  return real().convert_to<std::int64_t>();
}

}  // namespace pe
