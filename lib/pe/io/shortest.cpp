// Schubfach for formats of up to 24 bits of precision, and for doubles of usual size.
#include "pe/io/shortest.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "pe/io/shortest_digits.hpp"
#include "pe/io/shortest_rows.hpp"

namespace pe::io {
namespace {

constexpr int smallest_power = -37, largest_power = 46;

// Of formats of up to 24 bits.
constexpr auto powers = [] {
  std::array<std::uint64_t, largest_power - smallest_power + 1> table{};
  for (int k = smallest_power; k <= largest_power; ++k)
    table[static_cast<std::size_t>(k - smallest_power)] = leading_bits(k);
  return table;
}();

// Of doubles: 10^0 … 10^55, whose powers of five are exact in as many bits.
constexpr int largest_exact_power = 55;
constexpr auto exact_powers = [] {
  std::array<Wide, largest_exact_power + 1> table{};
  Wide five = 1;
  for (Wide& bits : table) {
    for (bits = five; !(bits >> 127);) bits <<= 1;
    five *= 5;
  }
  return table;
}();

// Of doubles from 2^-26 on whose exponent is negative, by that exponent from −78 on: the unit of
// the last place.
constexpr int least_near = -78;
constexpr auto units = [] {
  std::array<std::uint64_t, -least_near> table{};
  for (int exponent = least_near; exponent < 0; ++exponent)
    table[static_cast<std::size_t>(exponent - least_near)] = unit_of(exponent);
  return table;
}();

// All of them.
template <int eights>
void put_digits(char* out, const Digits<eights>& digits) {
  *out = digits.first;
  std::memcpy(out + 1, digits.rest, sizeof digits.rest);
}

char* put_word(char* out, const char* word) {
  const std::size_t length = std::strlen(word);
  std::memcpy(out, word, length);
  return out + length;
}

template <int eights>
char* put_scientific(char* out, const Digits<eights>& digits) {
  put_digits(out + 1, digits);
  out[0] = digits.first;
  out[1] = '.';
  out += digits.count + (digits.count > 1);
  const int magnitude = digits.exponent < 0 ? -digits.exponent : digits.exponent;
  *out++ = 'e';
  *out++ = digits.exponent < 0 ? '-' : '+';
  *out++ = static_cast<char>('0' + magnitude / 10);
  *out++ = static_cast<char>('0' + magnitude % 10);
  return out;
}

// A positive number in the notation that std::to_chars takes: fixed unless scientific is shorter.
template <typename Word, int eights>
char* put_finite(char* out, Word significand, int exponent, const Digits<eights>& digits) {
  const int leading = digits.exponent, scientific = digits.count + (digits.count > 1) + 4;
  if (leading < 0) {
    if (digits.count + 1 - leading > scientific) return put_scientific(out, digits);
    std::memcpy(out, "0.000000", 8);
    put_digits(out + 1 - leading, digits);
    return out + 1 - leading + digits.count;
  }
  if (leading < digits.count - 1) {
    put_digits(out + 1, digits);
    std::memmove(out, out + 1, static_cast<std::size_t>(leading) + 1);
    out[leading + 1] = '.';
    return out + digits.count + 1;
  }
  if (leading + 1 > scientific) return put_scientific(out, digits);
  // All digits of a whole number are printed, not zeros behind the shortest ones.
  return put_integer(out, exponent >= 0 ? static_cast<std::int64_t>(significand) << exponent
                                        : static_cast<std::int64_t>(significand) >> -exponent);
}

// A binary format by its number of fraction bits and exponent bits.
template <int fraction_bits, int exponent_bits>
char* put_binary(char* out, std::uint32_t bits) {
  constexpr std::uint32_t hidden = 1u << fraction_bits, infinite = (1u << exponent_bits) - 1;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1 + fraction_bits;
  const std::uint32_t fraction = bits & (hidden - 1), exponent = (bits >> fraction_bits) & infinite;
  if (exponent == infinite && fraction) return put_word(out, "nan");
  *out = '-';
  out += bits >> (fraction_bits + exponent_bits);
  if (exponent == infinite) return put_word(out, "inf");
  if (exponent == 0 && fraction == 0) return put_word(out, "0");
  const std::uint32_t significand = exponent == 0 ? fraction : fraction | hidden;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - bias;
  const bool uneven = fraction == 0 && exponent > 1;
  const auto bits_of = [](int k) { return powers[static_cast<std::size_t>(k - smallest_power)]; };
  return put_finite(out, significand, power, split(shortest(significand, power, uneven, bits_of)));
}

template <typename T>
T load(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

// Where registers of `isa` write numbers of `dtype`; null where they do not.
lanes::Put in_lanes([[maybe_unused]] Isa isa, [[maybe_unused]] DType dtype) {
#if defined(__x86_64__)
  if (isa != Isa::avx2 && isa != Isa::avx512) return nullptr;
  const lanes::Writers& writers =
      isa == Isa::avx512 ? lanes::avx512_writers() : lanes::avx2_writers();
  if (dtype == DType::f64) return writers.f64;
  if (dtype == DType::f32) return writers.f32;
  if (dtype == DType::f16) return writers.f16;
  if (dtype == DType::bf16) return writers.bf16;
#endif
  return nullptr;
}

}  // namespace

char* put_integer(char* out, std::int64_t value) {
  return std::to_chars(out, out + longest_number, value).ptr;
}

char* put_f64(char* out, double value) {
  if (std::isnan(value)) return put_word(out, "nan");
  constexpr int fraction_bits = 52, bias = 1075;
  constexpr std::uint64_t hidden = std::uint64_t{1} << fraction_bits;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & (hidden - 1);
  const int exponent = static_cast<int>(bits >> fraction_bits & 0x7ff) - bias;
  // The power for which 10^55 would not do is 2^-183; a number beyond 2^53 has more digits than the
  // shortest ones.
  if (exponent < -182 || exponent > 0) return std::to_chars(out, out + longest_number, value).ptr;
  *out = '-';
  out += bits >> 63;
  if (exponent >= least_near && exponent < 0 && fraction != 0) {
    const std::uint64_t unit = units[static_cast<std::size_t>(exponent - least_near)];
    return put_finite(out, fraction | hidden, exponent,
                      split(shortest(fraction | hidden, exponent, unit)));
  }
  const auto bits_of = [](int k) { return exact_powers[static_cast<std::size_t>(k)]; };
  return put_finite(out, fraction | hidden, exponent,
                    split(shortest(fraction | hidden, exponent, fraction == 0, bits_of)));
}

char* put_f32(char* out, float value) {
  return put_binary<23, 8>(out, std::bit_cast<std::uint32_t>(value));
}
char* put_f16(char* out, std::uint16_t bits) { return put_binary<10, 5>(out, bits); }
char* put_bf16(char* out, std::uint16_t bits) { return put_binary<7, 8>(out, bits); }

char* put_number(char* out, const std::byte* element, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return put_f64(out, load<double>(element));
    case DType::f32:
      return put_f32(out, load<float>(element));
    case DType::f16:
      return put_f16(out, load<std::uint16_t>(element));
    case DType::bf16:
      return put_bf16(out, load<std::uint16_t>(element));
    case DType::i64:
      return put_integer(out, load<std::int64_t>(element));
    case DType::i32:
      return put_integer(out, load<std::int32_t>(element));
  }
  return out;
}

char* put_numbers(char* out, const std::byte* elements, Index count, DType dtype, char separator,
                  Isa isa) {
  if (const lanes::Put put = in_lanes(isa, dtype)) return put(out, elements, count, separator);
  const std::size_t size = size_of(dtype);
  for (Index i = 0; i < count; ++i, elements += size) {
    *out++ = separator;
    out = put_number(out, elements, dtype);
  }
  return out;
}

char* put_decimal(char* out, std::int64_t value, int decimals) {
  if (decimals == 0) return put_integer(out, value);
  if (value < 0) *out++ = '-';
  std::uint64_t magnitude =
      value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  char digits[longest_number];  // at least decimals + 1 of them
  int count = 0;
  for (; magnitude > 0 || count <= decimals; magnitude /= 10)
    digits[count++] = static_cast<char>('0' + magnitude % 10);
  int last = 0;  // zeros at the end are not written
  while (last < decimals && digits[last] == '0') ++last;
  for (int i = count - 1; i >= last; --i) {
    if (i == decimals - 1) *out++ = '.';
    *out++ = digits[i];
  }
  return out;
}

}  // namespace pe::io
