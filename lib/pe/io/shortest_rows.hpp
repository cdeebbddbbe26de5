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

/// Usual doubles are those of which 5^least_five … 5^(least_five + 15) make the shortest decimal.
inline constexpr int least_five = 9;
struct Fives {
  alignas(64) std::uint32_t high[16], low[16];
};
extern const Fives fives;

/// How the text of a usual double is put together, behind separator and sign; later pieces stand
/// over earlier ones. Its sixteen last digits are there whole, and once more from `skip` on.
struct Places {
  std::uint32_t suffix;  // exponent of ten
  std::uint8_t first, digits, rest, skip, dot, suffix_at, length;
};
/// By its exponent of ten from least_leading on (four bits), whether it has seventeen digits, and
/// how many of the last sixteen there are before zeros (five bits).
struct Layouts {
  alignas(64) Places places[1024];
};
extern const Layouts layouts;

/// Writes `count` elements of one format, each behind a separator, as put_numbers does.
using Put = char* (*)(char* out, const std::byte* elements, std::ptrdiff_t count, char separator);
struct Writers {
  Put f64, f32, f16, bf16;
};
const Writers& avx2_writers();
const Writers& avx512_writers();

}  // namespace pe::io::lanes
