// The digits of shortest decimals as text.
#pragma once

#include <bit>
#include <cstdint>

#include "pe/io/schubfach.hpp"

namespace pe::io {

/// Eight decimal digits as eight bytes 0 … 9, the last in the lowest: all divisions at once in one
/// register.
inline std::uint64_t spread(std::uint32_t value) {
  std::uint64_t lanes = static_cast<std::uint64_t>(value / 10000) << 32 | value % 10000;
  const std::uint64_t hundreds = (lanes * 10486 >> 20) & 0x0000007f0000007f;
  lanes = hundreds << 16 | (lanes - 100 * hundreds);
  const std::uint64_t tens = (lanes * 103 >> 10) & 0x000f000f000f000f;
  return tens << 8 | (lanes - 10 * tens);
}

inline constexpr std::uint32_t powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};

/// Nine digits, or seventeen, the zeros at the end counted off.
template <int eights>
struct Digits {
  std::uint64_t rest[eights];  // behind the first, as text
  char first;
  int count;
  int exponent;  // of the first digit
};

inline std::uint64_t as_text(std::uint64_t digits) {
  return __builtin_bswap64(digits | 0x3030303030303030);
}
inline int zeros_at_end(std::uint64_t digits) { return digits ? std::countr_zero(digits) / 8 : 8; }

inline Digits<1> split(Shortest<std::uint32_t> decimal) {
  int length = 1;
  if (decimal.digits < 1000000)
    while (decimal.digits >= powers_of_ten[length]) ++length;
  else
    length = 7 + (decimal.digits >= 10000000) + (decimal.digits >= 100000000);
  const std::uint32_t nine = decimal.digits * powers_of_ten[9 - length], first = nine / 100000000;
  const std::uint64_t rest = spread(nine - first * 100000000);
  return {{as_text(rest)},
          static_cast<char>('0' + first),
          9 - zeros_at_end(rest),
          decimal.exponent + length - 1};
}

/// Of a normal double: sixteen digits or one more.
inline Digits<2> split(Shortest<std::uint64_t> decimal) {
  constexpr std::uint64_t sixteen = 10000000000000000, eight = 100000000;
  const bool longer = decimal.digits >= sixteen;
  const std::uint64_t all = longer ? decimal.digits : 10 * decimal.digits, first = all / sixteen;
  const std::uint64_t behind = all - first * sixteen, upper = behind / eight;
  const std::uint64_t rest[] = {spread(static_cast<std::uint32_t>(upper)),
                                spread(static_cast<std::uint32_t>(behind - upper * eight))};
  const int zeros = rest[1] ? zeros_at_end(rest[1]) : 8 + zeros_at_end(rest[0]);
  return {{as_text(rest[0]), as_text(rest[1])},
          static_cast<char>('0' + first),
          17 - zeros,
          decimal.exponent + 15 + longer};
}

}  // namespace pe::io
