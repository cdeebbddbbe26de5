// How the text of each number is laid out, worked out by the compiler.
#include "pe/io/shortest_rows.hpp"

#include "pe/io/schubfach.hpp"

namespace pe::io::lanes {
namespace {

constexpr std::uint8_t digit(int i) {
  return static_cast<std::uint8_t>(i == 0 ? first_digit : i - 1);
}

// The notation is that of put_finite in shortest.cpp.
constexpr int put_row(std::uint8_t* out, bool negative, int leading, int count) {
  int length = 0;
  const auto put = [&](std::uint8_t character) { out[length++] = character; };
  const auto put_digits = [&](int from, int to) {
    for (int i = from; i < to; ++i) put(i < count ? digit(i) : std::uint8_t{zero});
  };
  put(separator);
  if (negative) put(minus);
  const int scientific = count + (count > 1) + 4;
  const int fixed =
      leading < 0 ? count + 1 - leading : (leading < count - 1 ? count + 1 : leading + 1);
  if (fixed > scientific) {
    put_digits(0, 1);
    if (count > 1) put(dot);
    put_digits(1, count);
    put(letter_e);
    put(leading < 0 ? minus : plus);
    put(zero);
    put(last);
  } else if (leading < 0) {
    put(zero);
    put(dot);
    for (int i = -1; i > leading; --i) put(zero);
    put_digits(0, count);
  } else {
    put_digits(0, leading + 1);
    if (leading < count - 1) put(dot);
    put_digits(leading + 1, count);
  }
  return length;
}

// A double's shortest decimal of `count` digits, as long as std::to_chars has them.
constexpr Places places_of(int leading, bool seventeen, int behind) {
  const int one = seventeen ? 1 : 0, count = behind + one;
  const int scientific = count + (count > 1) + 4;
  const int fixed =
      leading < 0 ? count + 1 - leading : (leading < count - 1 ? count + 1 : leading + 1);
  const auto places = [&](int first, int rest, int skip, int dot, int length, int suffix_at) {
    const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
    return Places{0,          byte(first), byte(first + one), byte(rest),
                  byte(skip), byte(dot),   byte(suffix_at),   byte(length)};
  };
  if (fixed > scientific) {
    Places of_power = places(0, 2, 1 - one, 1, scientific, scientific - 4);
    const auto size = static_cast<std::uint32_t>(leading < 0 ? -leading : leading);
    const std::uint32_t sign = leading < 0 ? '-' : '+';
    of_power.suffix = 'e' | sign << 8 | std::uint32_t{'0'} << 16 | ('0' + size) << 24;
    return of_power;
  }
  if (leading < 0) return places(1 - leading, 1 - leading + one, 0, 1, fixed, fixed);
  if (leading < count - 1)
    return places(0, leading + 2, leading + 1 - one, leading + 1, fixed, fixed);
  return places(0, one, 0, fixed, fixed, fixed);
}

constexpr Layouts all_layouts() {
  Layouts all{};
  for (int i = 0; i < 1024; ++i)
    if (const int behind = i & 31; behind <= 16)
      all.places[i] = places_of((i >> 6) + least_leading, (i >> 5 & 1) != 0, behind);
  return all;
}

constexpr Fives all_fives() {
  Fives all{};
  std::uint64_t five = 1;
  for (int k = 0; k < least_five + 16; ++k, five *= 5)
    if (k >= least_five) {
      all.high[k - least_five] = static_cast<std::uint32_t>(five >> 32);
      all.low[k - least_five] = static_cast<std::uint32_t>(five);
    }
  return all;
}

constexpr Rows all_rows() {
  Rows all{};
  for (int row = 0; row < 512; ++row) {
    const int count = (row & 15) + 1;
    if (count <= 9)
      all.lengths[row] = static_cast<std::uint8_t>(
          put_row(all.characters[row], row >> 8, (row >> 4 & 15) + least_leading, count));
  }
  return all;
}

constexpr Powers all_powers() {
  Powers all{};
  for (int k = 0; k < 16; ++k) {
    all.high[k] = static_cast<std::uint32_t>(leading_bits(k) >> 32);
    all.low[k] = static_cast<std::uint32_t>(leading_bits(k));
  }
  return all;
}

}  // namespace

constexpr Rows rows = all_rows();
constexpr Powers powers = all_powers();
constexpr Fives fives = all_fives();
constexpr Layouts layouts = all_layouts();

}  // namespace pe::io::lanes
