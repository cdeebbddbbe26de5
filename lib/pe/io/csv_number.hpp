// Decimals as most tables have them, read without a look at the locale, the base or the notation.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "pe/io/schubfach.hpp"

namespace pe::io {

/// 10^0 … 10^22: those that are doubles.
inline constexpr double exact_tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Eight decimal digits 0 … 9, the first in the lowest byte, as a number: pairs, fours, eight.
inline std::uint64_t joined(std::uint64_t digits) {
  constexpr std::uint64_t mask = 0x000000ff000000ff;
  digits = digits * 10 + (digits >> 8);
  return ((digits & mask) * 0x000f424000000064 + (digits >> 16 & mask) * 0x0000271000000001) >> 32;
}

/// Adds the digits from `text` on to `digits`; returns their end.
inline const char* take_digits(const char* text, const char* end, std::uint64_t& digits) {
  constexpr std::uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  if constexpr (std::endian::native == std::endian::little)
    while (end - text >= 8) {
      std::uint64_t eight;
      std::memcpy(&eight, text, sizeof eight);
      eight ^= 0x3030303030303030;  // digits are 0 … 9, everything else is more
      const std::uint64_t others = ((eight + 0x7676767676767676) | eight) & 0x8080808080808080;
      if (others != 0) {  // how many there are is not to be guessed: no branch asks
        const int count = std::countr_zero(others) / 8;
        digits = digits * tens[count] + joined(eight << (56 - 8 * count) << 8);
        return text + count;
      }
      digits = digits * tens[8] + joined(eight);
      text += 8;
    }
  for (; text < end && *text >= '0' && *text <= '9'; ++text)
    digits = 10 * digits + static_cast<std::uint64_t>(*text - '0');
  return text;
}

/// ⌈10^power·2^r⌉ with 64 bits, for powers from −27 to 27.
inline constexpr int farthest_power = 27;
inline constexpr auto rounded_powers = [] {
  std::array<std::uint64_t, 2 * farthest_power + 1> table{};
  for (int power = -farthest_power; power <= farthest_power; ++power)
    table[static_cast<std::size_t>(power + farthest_power)] = leading_bits(power);
  return table;
}();

/// digits·10^power, rounded once, from a product that is too large by less than one unit of its
/// upper word (Lemire 2021, "Number parsing at a gigabyte per second"). False where that unit
/// decides; `digits` is not 0.
inline bool scale(std::uint64_t digits, int power, double& value) {
  const int zeros = std::countl_zero(digits);
  const Wide product = static_cast<Wide>(digits << zeros) *
                       rounded_powers[static_cast<std::size_t>(power + farthest_power)];
  const auto upper = static_cast<std::uint64_t>(product >> 64);
  const int cut = 10 + static_cast<int>(upper >> 63);
  const std::uint64_t half = std::uint64_t{1} << (cut - 1), rest = upper & (2 * half - 1);
  const double significand = static_cast<double>((upper >> cut) + (rest > half));
  // The power is about 2^(63 − r); its product lacks 64 bits, and those that were cut are back.
  const int exponent = ((power * 1741647) >> 19) - 63 - zeros + 64 + cut;
  value = significand * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  return rest != half;
}

/// Reads what lies in front of a comma or the end, when it is a decimal without blanks of up to
/// nineteen digits and of usual size. Returns its end, or null for everything else.
inline const char* take_short_decimal(const char* text, const char* end, double& value) {
  constexpr std::uint64_t exact = std::uint64_t{1} << 53;  // of numbers and powers, one rounding
  constexpr std::ptrdiff_t most_digits = 19;               // any of so many are below 2^64
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
  if (count == 0 || count > most_digits) return nullptr;
  if (end - text >= 4 && *text == 'e' && (text[1] == '-' || text[1] == '+')) {
    const int tens = text[2] - '0', ones = text[3] - '0';
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return nullptr;
    power += text[1] == '-' ? -(10 * tens + ones) : 10 * tens + ones;
    text += 4;
  }
  if (text < end && *text != ',') return nullptr;
  if (digits <= exact && -22 <= power && power <= 22) {
    const auto number = static_cast<double>(digits);
    value = power < 0 ? number / exact_tens[-power] : number * exact_tens[power];
  } else if (digits == 0 || power < -farthest_power || power > farthest_power ||
             !scale(digits, static_cast<int>(power), value)) {
    return nullptr;
  }
  if (negative) value = -value;
  return text;
}

}  // namespace pe::io
