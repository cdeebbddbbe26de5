// Decimals as most tables have them, read without a look at the locale, the base or the notation.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace pe::io {

/// 10^0 … 10^22: those that are doubles.
inline constexpr double exact_tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Adds the digits from `text` on to `digits`; returns their end.
inline const char* take_digits(const char* text, const char* end, std::uint64_t& digits) {
  if constexpr (std::endian::native == std::endian::little)
    while (end - text >= 8) {  // all at once: pairs, fours, eight
      std::uint64_t eight;
      std::memcpy(&eight, text, sizeof eight);
      const std::uint64_t above = eight + 0x4646464646464646, below = eight - 0x3030303030303030;
      if (((above | below) & 0x8080808080808080) != 0) break;
      eight = below * 10 + (below >> 8);
      constexpr std::uint64_t mask = 0x000000ff000000ff;
      eight =
          ((eight & mask) * 0x000f424000000064 + (eight >> 16 & mask) * 0x0000271000000001) >> 32;
      digits = digits * 100000000 + eight;
      text += 8;
    }
  for (; text < end && *text >= '0' && *text <= '9'; ++text)
    digits = 10 * digits + static_cast<std::uint64_t>(*text - '0');
  return text;
}

/// Reads what lies in front of a comma or the end, when it is a decimal without blanks and so short
/// that it is a whole number below 2^53 times or over an exact power of ten: one rounding then.
/// Returns its end, or null for everything else.
inline const char* take_short_decimal(const char* text, const char* end, double& value) {
  constexpr std::uint64_t exact = std::uint64_t{1} << 53;
  constexpr std::ptrdiff_t most_digits = 19;  // any of so many are below 2^64
  const bool negative = text < end && *text == '-';
  text += negative;
  std::uint64_t digits = 0;
  const char* const whole = text;
  text = take_digits(text, end, digits);
  std::ptrdiff_t count = text - whole, power = 0;
  if (text < end && *text == '.') {
    const char* const fraction = ++text;
    text = take_digits(text, end, digits);
    power = fraction - text;
    count -= power;
  }
  if (count == 0 || count > most_digits || digits > exact) return nullptr;
  if (end - text >= 4 && *text == 'e' && (text[1] == '-' || text[1] == '+')) {
    const int tens = text[2] - '0', ones = text[3] - '0';
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return nullptr;
    power += text[1] == '-' ? -(10 * tens + ones) : 10 * tens + ones;
    text += 4;
  }
  if ((text < end && *text != ',') || power < -22 || power > 22) return nullptr;
  const auto number = static_cast<double>(digits);
  value = power < 0 ? number / exact_tens[-power] : number * exact_tens[power];
  if (negative) value = -value;
  return text;
}

}  // namespace pe::io
