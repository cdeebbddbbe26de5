// What shortest decimals in lanes are made with. Plain data only: it is read where code is compiled
// for instruction sets that the machine may lack, so nothing of the standard library may be
// instantiated there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pe::io::lanes {

/// The characters that a number's text is chosen from: its second to ninth digit, its first one,
/// then these.
enum Character : std::uint8_t {
  first_digit = 8,
  separator,
  minus,
  dot,
  zero,
  letter_e,
  plus,
  last
};
inline constexpr int text_bytes = 16;  // no text of a usual number is longer, separator and all

/// Usual numbers have an exponent of ten of one digit.
inline constexpr int least_leading = -8;

/// Which characters make the text of a number, by its row: whether it is negative, the exponent of
/// its first digit from least_leading on, and its digits but one, four bits each but the first.
struct Rows {
  alignas(64) std::uint8_t characters[512][text_bytes];
  std::uint8_t lengths[512];
};
extern const Rows rows;

/// The leading 64 bits of 10^0 … 10^15.
struct Powers {
  alignas(64) std::uint32_t high[16], low[16];
};
extern const Powers powers;

/// Writes `count` elements of one format, each behind a separator, as put_numbers does.
using Put = char* (*)(char* out, const std::byte* elements, std::ptrdiff_t count, char separator);
struct Writers {
  Put f32, f16, bf16;
};
const Writers& avx2_writers();
const Writers& avx512_writers();

}  // namespace pe::io::lanes
