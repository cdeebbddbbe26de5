// Schubfach (Giulietti, "The Schubfach way to render doubles", 2021).
#pragma once

#include <cstdint>

namespace pe::io {

__extension__ typedef unsigned __int128 Wide;

/// ⌈10^k / 2^r⌉ with r such that 64 bits are used; 10^k and 5^k have the same leading bits.
constexpr std::uint64_t leading_bits(int k) {
  Wide five = 1;
  for (int i = 0; i < (k < 0 ? -k : k); ++i) five *= 5;
  std::uint64_t bits = 0;
  bool rest = false;
  if (k >= 0) {
    int excess = 0;
    for (; (five >> excess) >> 64; ++excess) {
    }
    bits = static_cast<std::uint64_t>(five >> excess);
    rest = (static_cast<Wide>(bits) << excess) != five;
    while (!(bits >> 63)) bits <<= 1;
  } else {
    Wide remainder = 1;
    while (!(bits >> 63)) {
      remainder <<= 1;
      bits = bits << 1 | (remainder >= five);
      if (remainder >= five) remainder -= five;
    }
    rest = true;
  }
  return bits + rest;
}

/// The product's integer part, its last bit set when anything was cut off.
inline std::uint32_t round_to_odd(std::uint64_t power, std::uint32_t factor) {
  const Wide product = static_cast<Wide>(power) * factor;
  const auto low = static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
  return static_cast<std::uint32_t>(product >> 64) | (low > 1);
}
inline std::uint64_t round_to_odd(Wide power, std::uint64_t factor) {
  const Wide low = static_cast<Wide>(static_cast<std::uint64_t>(power)) * factor;
  const Wide product =
      static_cast<Wide>(static_cast<std::uint64_t>(power >> 64)) * factor + (low >> 64);
  return static_cast<std::uint64_t>(product >> 64) | (static_cast<std::uint64_t>(product) > 1);
}

template <typename Word>
struct Shortest {
  Word digits;   // with zeros at the end
  int exponent;  // of ten
};

/// The shortest decimal that rounds to significand·2^exponent, and of these the nearest; `uneven`
/// when the neighbour below is only half as far as the one above. power(k) has the leading bits of
/// 10^k, twice as many as a word. No step branches on the digits: they are unpredictable.
template <typename Word, typename Power>
Shortest<Word> shortest(Word significand, int exponent, bool uneven, const Power& power) {
  const Word odd = significand & 1;
  const Word low = 4 * significand - 2 + uneven, middle = 4 * significand,
             high = 4 * significand + 2;
  const int k = (exponent * 1262611 - (uneven ? 524031 : 0)) >> 22;
  const int shift = exponent + ((-k * 1741647) >> 19) + 1;
  const auto bits = power(-k);
  const Word lower = round_to_odd(bits, low << shift) + odd;
  const Word value = round_to_odd(bits, middle << shift);
  const Word upper = round_to_odd(bits, high << shift) - odd;
  const Word s = value / 4, tens = s / 10;
  // One digit less, when just one of the two neighbours lies within the bounds.
  const Word ten_below = lower <= 40 * tens, ten_above = 40 * tens + 40 <= upper;
  const Word by_tens = -((ten_below ^ ten_above) & (s >= 10));
  const Word below = lower <= 4 * s, above = 4 * s + 4 <= upper;
  const Word half = 4 * s + 2, rounds_up = value + (s & 1) > half;
  const Word decided = -(below ^ above);
  const Word ones = s + ((above & decided) | (rounds_up & ~decided));
  return {(10 * (tens + ten_above) & by_tens) | (ones & ~by_tens), k};
}

/// ⌊log10 2^exponent⌋, of exponents of doubles.
constexpr int power_of(int exponent) { return (exponent * 1262611) >> 22; }

/// 2^54 · 2^exponent / 10^power_of(exponent), for exponents from −78 to −1: a whole number.
constexpr std::uint64_t unit_of(int exponent) {
  const int k = power_of(exponent);
  std::uint64_t unit = 1;
  for (int i = 0; i < -k; ++i) unit *= 5;
  return unit << (54 + exponent - k);
}

/// The same decimal of a double of which unit_of() is whole, and which is no power of two. Its
/// product with the unit is exact, and its neighbours are half a unit away: both sides of each
/// comparison are whole numbers.
inline Shortest<std::uint64_t> shortest(std::uint64_t significand, int exponent,
                                        std::uint64_t unit) {
  const Wide product = static_cast<Wide>(significand << 10) * unit;
  const auto s = static_cast<std::uint64_t>(product >> 64);
  // Distances are counted in 2^-55.
  const std::uint64_t fraction = static_cast<std::uint64_t>(product) >> 9;
  const std::uint64_t tens = s / 10, ten_below = ((s - 10 * tens) << 55) + fraction;
  const std::uint64_t ten_above = (std::uint64_t{20} << 54) - ten_below;
  const std::uint64_t allowed = unit - (significand & 1);  // bounds belong to even numbers
  const std::uint64_t below = ten_below <= allowed, above = ten_above <= allowed;
  const std::uint64_t by_tens = -(below ^ above);
  const std::uint64_t ones = s + (fraction + (s & 1) > std::uint64_t{1} << 54);
  return {(10 * (tens + above) & by_tens) | (ones & ~by_tens), power_of(exponent)};
}

}  // namespace pe::io
