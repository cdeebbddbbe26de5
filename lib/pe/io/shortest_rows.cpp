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

}  // namespace pe::io::lanes
