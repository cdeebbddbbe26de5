// Shortest decimals of doubles, a register of them at a time.
#pragma once

#include <cstddef>
#include <cstring>

#include "pe/io/shortest.hpp"
#include "pe/io/shortest_digit_lanes.hpp"
#include "pe/io/shortest_rows.hpp"

namespace pe::io::lanes {

/// `L` is an instruction set, as Writer has it: registers of half as many words of 64 bits.
template <typename L>
class DoubleWriter {
 public:
  static char* put(char* out, const std::byte* elements, std::ptrdiff_t count, char separator) {
    Group group(separator);
    for (; count >= most; count -= most, elements += most * size)
      out = group.put_all(out, elements, most);
    // Fewer are written one by one, sooner.
    constexpr std::ptrdiff_t worth_registers = 3;
    if (count >= worth_registers) {
      std::byte some[most * size] = {};
      std::memcpy(some, elements, static_cast<std::size_t>(count) * size);
      return group.put_all(out, some, static_cast<int>(count));
    }
    L::leave();
    for (; count > 0; --count, elements += size) out = put_one(out, elements, separator);
    return out;
  }

 private:
  using Words = typename L::Words;
  using Mask = typename L::Mask64;
  using Digits = DigitLanes<L>;
  static constexpr int width = L::width / 2;
  static constexpr int most = 2 * width;  // two registers: one waits while the other computes
  static constexpr std::size_t size = sizeof(double);

  static char* put_one(char* out, const std::byte* element, char mark) {
    double value;
    std::memcpy(&value, element, size);
    *out = mark;
    return put_f64(out + 1, value);
  }

  struct Product {
    Words high, low;
  };
  static Product product(Words a, Words b) {
    const Words upper_a = L::odd_to_even(a), upper_b = L::odd_to_even(b);
    const Words lowest = L::product(a, b);
    const Words some = L::plus64(L::product(a, upper_b), L::odd_to_even(lowest));
    const Words more = L::plus64(L::product(upper_a, b), L::lower(some));
    const Words carried = L::plus64(L::odd_to_even(some), L::odd_to_even(more));
    return {L::plus64(L::product(upper_a, upper_b), carried),
            L::join(lowest, L::even_to_odd(more))};
  }

  // Numbers of up to seventeen digits as the last eight and what is before them.
  struct Parts {
    Words upper, lower;
    explicit Parts(Words number) {
      const Words power = L::words64(0x4330000000000000);  // 2^52: its last bit is 1
      const Words some =
          L::as_double_minus(L::either(L::template right64<8>(number), power), power);
      // A quotient that may be one too large.
      upper = L::lower(L::as_double_times_plus(some, L::words64(0x3EC5798EE2308C3A), power));
      lower = L::minus64(number, L::product(upper, L::words(100000000)));
      const Mask larger = L::less64(lower, L::words(0));
      upper = L::minus64(upper, L::only64(larger, 1));
      lower = L::plus64(lower, L::only64(larger, 100000000));
    }
  };

  // As `shortest` of doubles in schubfach.hpp; `minus_k` is the power of five.
  static Parts shortest(Words exponent, Words minus_k, Words significand) {
    const Words at = L::minus(minus_k, L::words(least_five));
    const Words five = L::join(L::lookup(fives.low, at), L::even_to_odd(L::lookup(fives.high, at)));
    const Words shift = L::lower(L::plus(L::plus(exponent, minus_k), L::words(54)));
    const Words unit = L::left64_by(five, shift);
    const auto [number, rest] = product(L::template left64<10>(significand), unit);
    const Words fraction = L::template right64<9>(rest);

    Parts parts(number);
    const Words tens = L::template right64<35>(L::product(parts.lower, L::words(0xcccccccd)));
    const Words ones = L::minus(parts.lower, Digits::times_ten(tens));
    const Words ten_below = L::plus64(L::template left64<55>(ones), fraction);
    const Words ten_above = L::minus64(L::words64(std::uint64_t{20} << 54), ten_below);
    const Words allowed = L::minus64(unit, L::both(significand, L::words64(1)));
    const Mask not_below = L::less64(allowed, ten_below), not_above = L::less64(allowed, ten_above);
    const Mask up = L::less64(L::words64(std::uint64_t{1} << 54),
                              L::plus64(fraction, L::both(number, L::words64(1))));
    const Words by_tens = L::minus64(L::plus64(L::minus64(parts.lower, ones), L::words64(10)),
                                     L::only64(not_above, 10));
    parts.lower = L::select64(L::differ(not_below, not_above), by_tens,
                              L::plus64(parts.lower, L::only64(up, 1)));
    const Mask carries = L::less64(L::words64(99999999), parts.lower);
    parts.lower = L::clear64(carries, parts.lower);
    parts.upper = L::plus64(parts.upper, L::only64(carries, 1));
    return parts;
  }

  // What the texts of two registers are made of.
  struct Group {
    alignas(64) std::uint8_t digits[most * 16 + 16] = {};
    alignas(64) std::uint64_t marks[most];
    char prefixes[2][8] = {{0, '0', '.', '0', '0', '0', '0', '0'},
                           {0, '-', '0', '.', '0', '0', '0', '0'}};

    explicit Group(char separator) { prefixes[0][0] = prefixes[1][0] = separator; }

    char* put(char* out, int i) const {
      const std::uint64_t mark = marks[i];
      const Places& places = layouts.places[mark & 1023];
      const std::uint64_t negative = mark >> 63;
      const std::uint8_t* const from =
          digits + 16 * (i / width * width + i % 2 * (width / 2) + i % width / 2);
      std::memcpy(out, prefixes[negative], sizeof prefixes[0]);
      out += 1 + negative;
      out[places.first] = static_cast<char>(mark >> 16);
      std::memcpy(out + places.digits, from, 16);
      std::memcpy(out + places.rest, from + places.skip, 16);
      out[places.dot] = '.';
      std::memcpy(out + places.suffix_at, &places.suffix, sizeof places.suffix);
      return out + places.length;
    }

    char* put_all(char* out, const std::byte* elements, int count) {
      const std::uint32_t first = compute(L::load(elements), 0);
      const std::uint32_t second = compute(L::load(elements + width * size), width);
      const std::uint32_t unusual = first | second << width;
      if (!unusual) {
        for (int i = 0; i < count; ++i) out = put(out, i);
        return out;
      }
      L::leave();
      for (int i = 0; i < count; ++i)
        out = unusual >> i & 1
                  ? put_one(out, elements + static_cast<std::size_t>(i) * size, prefixes[0][0])
                  : put(out, i);
      return out;
    }

    // Returns the bits of those that are none of the usual numbers and have no text here: usual
    // ones are 0 and what is from 2^-26 on and below 2^24, but no powers of two.
    std::uint32_t compute(Words bits, int at) {
      constexpr std::uint64_t bias = 1075, hidden = std::uint64_t{1} << 52;
      const Words magnitude = L::both(bits, L::words64((std::uint64_t{1} << 63) - 1));
      const Words fraction = L::both(bits, L::words64(hidden - 1));
      const Words stored = L::template right64<52>(magnitude);
      const Mask none = L::equal64(magnitude, L::words(0));
      const Mask outside = L::any(L::less64(stored, L::words64(bias - 78)),
                                  L::less64(L::words64(bias - 29), stored));
      const Mask unusual = L::without(L::any(outside, L::equal64(fraction, L::words(0))), none);

      const Words exponent = L::minus(stored, L::words(bias));
      const Words minus_k = L::minus(
          L::words(0), L::template right_signed<22>(L::times(exponent, L::words(1262611))));
      Parts parts = shortest(exponent, minus_k, L::either(fraction, L::words64(hidden)));
      const Words upper = L::clear64(none, parts.upper), lower = L::clear64(none, parts.lower);
      const Words first = L::template right64<57>(L::product(upper, L::words(1441151881)));
      const Words eight = L::minus(upper, L::product(first, L::words(100000000)));
      const auto [even, odd] = typename Digits::Eights(L::join(eight, L::even_to_odd(lower)));

      const Words behind = L::select64(L::equal64(lower, L::words(0)), L::last_byte(even),
                                       L::plus(L::last_byte(odd), L::words(8)));
      const Words one = L::minus64(L::words64(1), L::only64(L::equal64(first, L::words(0)), 1));
      const Words leading = L::minus(L::plus(one, L::words(15 - least_leading)), minus_k);
      const Words usual =
          L::either(L::either(L::template left<6>(leading), L::template left<5>(one)), behind);
      const Words zero = L::words64(-least_leading << 6 | 1 << 5);
      const Words character = L::template left<16>(L::either(first, L::words64('0')));
      const Words sign = L::both(bits, L::words64(std::uint64_t{1} << 63));
      const Words row = L::lower(L::select64(none, zero, usual));
      L::store(reinterpret_cast<std::uint32_t*>(marks + at),
               L::either(sign, L::either(row, character)));
      const Words ascii = L::words(0x30303030);
      L::store_pairs(digits + 16 * at, L::either(even, ascii), L::either(odd, ascii));
      return L::bits64(unusual);
    }
  };
};

}  // namespace pe::io::lanes
