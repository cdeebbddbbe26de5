// Schubfach (Giulietti, "The Schubfach way to render doubles", 2021) for formats of up to 24 bits
// of precision.
#include "pe/io/shortest.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "pe/io/shortest_power.hpp"
#include "pe/io/shortest_rows.hpp"

namespace pe::io {
namespace {

constexpr int smallest_power = -37, largest_power = 46;

constexpr auto powers = [] {
  std::array<std::uint64_t, largest_power - smallest_power + 1> table{};
  for (int k = smallest_power; k <= largest_power; ++k)
    table[static_cast<std::size_t>(k - smallest_power)] = leading_bits(k);
  return table;
}();

// The product's integer part, its last bit set when anything was cut off.
std::uint32_t round_to_odd(std::uint64_t power, std::uint32_t factor) {
  const Wide product = static_cast<Wide>(power) * factor;
  const auto low = static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
  return static_cast<std::uint32_t>(product >> 64) | (low > 1);
}

struct Shortest {
  std::uint32_t digits;  // with zeros at the end
  int exponent;          // of ten
};

// The shortest decimal that rounds to significand·2^exponent, and of these the nearest; `uneven`
// when the neighbour below is only half as far as the one above. No step branches on the digits:
// they are unpredictable.
Shortest shortest(std::uint32_t significand, int exponent, bool uneven) {
  const std::uint32_t odd = significand & 1;
  const std::uint32_t low = 4 * significand - 2 + uneven, middle = 4 * significand,
                      high = 4 * significand + 2;
  const int k = (exponent * 1262611 - (uneven ? 524031 : 0)) >> 22;
  const int shift = exponent + ((-k * 1741647) >> 19) + 1;
  const std::uint64_t power = powers[static_cast<std::size_t>(-k - smallest_power)];
  const std::uint32_t lower = round_to_odd(power, low << shift) + odd;
  const std::uint32_t value = round_to_odd(power, middle << shift);
  const std::uint32_t upper = round_to_odd(power, high << shift) - odd;
  const std::uint32_t s = value / 4, tens = s / 10;
  // One digit less, when just one of the two neighbours lies within the bounds.
  const std::uint32_t ten_below = lower <= 40 * tens, ten_above = 40 * tens + 40 <= upper;
  const std::uint32_t by_tens = -((ten_below ^ ten_above) & (s >= 10));
  const std::uint32_t below = lower <= 4 * s, above = 4 * s + 4 <= upper;
  const std::uint32_t half = 4 * s + 2, rounds_up = value + (s & 1) > half;
  const std::uint32_t decided = -(below ^ above);
  const std::uint32_t ones = s + ((above & decided) | (rounds_up & ~decided));
  return {(10 * (tens + ten_above) & by_tens) | (ones & ~by_tens), k};
}

// Eight decimal digits as eight bytes 0 … 9, the last in the lowest: all divisions at once in one
// register.
std::uint64_t spread(std::uint32_t value) {
  std::uint64_t lanes = static_cast<std::uint64_t>(value / 10000) << 32 | value % 10000;
  const std::uint64_t hundreds = (lanes * 10486 >> 20) & 0x0000007f0000007f;
  lanes = hundreds << 16 | (lanes - 100 * hundreds);
  const std::uint64_t tens = (lanes * 103 >> 10) & 0x000f000f000f000f;
  return tens << 8 | (lanes - 10 * tens);
}

constexpr std::uint32_t powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                           100000, 1000000, 10000000, 100000000};

// Nine digits, the zeros at the end counted off.
struct Digits {
  std::uint64_t rest;  // behind the first, as text
  char first;
  int count;
  int exponent;  // of the first digit
};

Digits split(Shortest decimal) {
  int length = 1;
  if (decimal.digits < 1000000)
    while (decimal.digits >= powers_of_ten[length]) ++length;
  else
    length = 7 + (decimal.digits >= 10000000) + (decimal.digits >= 100000000);
  const std::uint32_t nine = decimal.digits * powers_of_ten[9 - length], first = nine / 100000000;
  const std::uint64_t rest = spread(nine - first * 100000000);
  return {__builtin_bswap64(rest | 0x3030303030303030), static_cast<char>('0' + first),
          9 - (rest ? std::countr_zero(rest) / 8 : 8), decimal.exponent + length - 1};
}

// All nine.
void put_digits(char* out, const Digits& digits) {
  *out = digits.first;
  std::memcpy(out + 1, &digits.rest, 8);
}

char* put_word(char* out, const char* word) {
  const std::size_t length = std::strlen(word);
  std::memcpy(out, word, length);
  return out + length;
}

char* put_scientific(char* out, const Digits& digits) {
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
char* put_finite(char* out, std::uint32_t significand, int exponent, bool uneven) {
  const Digits digits = split(shortest(significand, exponent, uneven));
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
  if (exponent == 0) return put_finite(out, fraction, 1 - bias, false);
  return put_finite(out, fraction | hidden, static_cast<int>(exponent) - bias,
                    fraction == 0 && exponent > 1);
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
  return std::to_chars(out, out + longest_number, value).ptr;
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
