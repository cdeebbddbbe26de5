// The steps of shortest.cpp for a register of numbers at a time, and a table of how each text is
// laid out.
#pragma once

#include <cstring>

#include "pe/io/shortest.hpp"
#include "pe/io/shortest_digit_lanes.hpp"
#include "pe/io/shortest_double_lanes.hpp"
#include "pe/io/shortest_rows.hpp"

namespace pe::io::lanes {

/// A binary format; `fewest` to `most` digits has a normal number before zeros at the end are cut;
/// one alone is written by `one`.
template <typename T, int fraction_bits, int exponent_bits, int fewest, int most,
          char* one(char*, T)>
struct Binary {
  using Value = T;
  static constexpr int fraction = fraction_bits, sign = fraction_bits + exponent_bits;
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1 + fraction_bits;
  static constexpr int fewest_digits = fewest, most_digits = most;
  static char* put_one(char* out, T value) { return one(out, value); }
};

/// `L` is an instruction set: registers of `width` words of 32 bits; two of them, an even one and
/// an odd one, are a word of 64.
template <typename L, typename Format>
class Writer {
 public:
  static char* put(char* out, const std::byte* elements, std::ptrdiff_t count, char separator) {
    Group group;
    for (; count >= L::width; count -= L::width, elements += L::width * sizeof(Value)) {
      if (const std::uint32_t unusual = group.compute(load(elements), separator))
        out = group.put_some(out, elements, L::width, unusual, separator);
      else
        for (int i = 0; i < L::width; ++i) out = group.put(out, i);
    }
    // Fewer are written one by one, sooner.
    constexpr std::ptrdiff_t worth_a_register = 3;
    if (count >= worth_a_register) {
      std::byte some[L::width * sizeof(Value)] = {};
      std::memcpy(some, elements, static_cast<std::size_t>(count) * sizeof(Value));
      const std::uint32_t unusual = group.compute(load(some), separator);
      return group.put_some(out, some, static_cast<int>(count), unusual, separator);
    }
    L::leave();
    for (; count > 0; --count, elements += sizeof(Value)) out = put_one(out, elements, separator);
    return out;
  }

 private:
  using Value = typename Format::Value;
  using Words = typename L::Words;
  using Mask = typename L::Mask;
  using Digits = DigitLanes<L>;

  static Words load(const std::byte* elements) {
    if constexpr (sizeof(Value) == 2)
      return L::load16(elements);
    else
      return L::load(elements);
  }

  static char* put_one(char* out, const std::byte* element, char mark) {
    Value value;
    std::memcpy(&value, element, sizeof value);
    *out = mark;
    return Format::put_one(out + 1, value);
  }

  // A register as two whose even words are the even and the odd ones.
  struct Halves {
    Words even, odd;
    explicit Halves(Words words) : even(words), odd(L::odd_to_even(words)) {}
  };

  // The product's integer part, its last bit set when anything was cut off.
  static Words round_to_odd(const Halves& high, const Halves& low, Words factor) {
    const Halves f(factor);
    const Words even =
        L::plus64(L::product(high.even, f.even), L::odd_to_even(L::product(low.even, f.even)));
    const Words odd =
        L::plus64(L::product(high.odd, f.odd), L::odd_to_even(L::product(low.odd, f.odd)));
    return L::odd_where_more(L::join(L::odd_to_even(even), odd),
                             L::join(even, L::even_to_odd(odd)));
  }

  struct Decimals {
    Words digits;   // most_digits of them, with zeros at the end
    Words leading;  // exponent of ten of the first
  };

  // As `shortest` and `split` in shortest.cpp.
  static Decimals shortest(Words stored, Words fraction) {
    const Mask uneven = L::equal(fraction, L::words(0));
    const Words exponent = L::minus(stored, L::words(Format::bias));
    const Words k = L::template right_signed<22>(
        L::minus(L::times(exponent, L::words(1262611)), L::only(uneven, 524031)));
    const Words minus_k = L::minus(L::words(0), k);
    const Words shift = L::plus(L::plus(exponent, L::words(1)),
                                L::template right<19>(L::times(minus_k, L::words(1741647))));
    const Halves high(L::lookup(powers.high, minus_k)), low(L::lookup(powers.low, minus_k));
    const Words significand = L::either(fraction, L::words(1u << Format::fraction));
    const Words odd = L::both(significand, L::words(1));
    const Words four = L::template left<2>(significand);
    const auto scaled_up = [&](Words x) { return round_to_odd(high, low, L::left_by(x, shift)); };
    const Words lower =
        L::plus(scaled_up(L::plus(L::minus(four, L::words(2)), L::only(uneven, 1))), odd);
    const Words value = scaled_up(four);
    const Words upper = L::minus(scaled_up(L::plus(four, L::words(2))), odd);

    const Words s = L::template right<2>(value), four_s = L::template left<2>(s);
    const Words ten = Digits::times_ten(Digits::template scaled<0xcccccccd, 3>(s)),
                forty = L::template left<2>(ten);
    const Mask not_ten_below = L::less(forty, lower);
    const Mask not_ten_above = L::less(upper, L::plus(forty, L::words(40)));
    const Words by_tens = L::minus(L::plus(ten, L::words(10)), L::only(not_ten_above, 10));
    const Mask not_below = L::less(four_s, lower);
    const Mask not_above = L::less(upper, L::plus(four_s, L::words(4)));
    const Mask decided = L::differ(not_below, not_above);
    const Mask rounds_up =
        L::less(L::plus(four_s, L::words(2)), L::plus(value, L::both(s, L::words(1))));
    const Mask up = L::any(L::without(decided, not_above), L::without(rounds_up, decided));
    Words digits =
        L::select(L::differ(not_ten_below, not_ten_above), by_tens, L::plus(s, L::only(up, 1)));

    Words leading = L::plus(k, L::words(Format::most_digits - 1));
    std::uint32_t limit = 1;
    for (int i = 1; i < Format::most_digits; ++i) limit *= 10;
    for (int i = Format::fewest_digits; i < Format::most_digits; ++i) {
      const Mask short_of_one = L::less(digits, L::words(limit));
      digits = L::select(short_of_one, Digits::times_ten(digits), digits);
      leading = L::minus(leading, L::only(short_of_one, 1));
    }
    return {digits, leading};
  }

  // What the texts of one register are made of.
  struct Group {
    alignas(64) std::uint8_t characters[L::width * text_bytes];
    alignas(64) std::uint32_t row[L::width];

    char* put(char* out, int i) const {
      const int place = i % 4 * (L::width / 4) + i / 4;
      L::put_text(out, characters + text_bytes * place, rows.characters[row[i]]);
      return out + rows.lengths[row[i]];
    }

    char* put_some(char* out, const std::byte* elements, int count, std::uint32_t unusual,
                   char mark) const {
      constexpr std::ptrdiff_t size = sizeof(Value);
      L::leave();
      for (int i = 0; i < count; ++i)
        out = unusual >> i & 1 ? put_one(out, elements + i * size, mark) : put(out, i);
      return out;
    }

    // Returns the bits of those that are none of the usual numbers and have no text here. Usual
    // ones are whole numbers with all their digits and what is from 2^-26 on, normal and no first.
    std::uint32_t compute(Words bits, char mark) {
      constexpr int largest = Format::bias, far = largest - Format::fraction - 26;
      constexpr auto least = static_cast<std::uint32_t>(far > 1 ? far : 2);
      const Words size = L::both(bits, L::words((1u << Format::sign) - 1));
      const Words fraction = L::both(bits, L::words((1u << Format::fraction) - 1));
      const Words stored = L::template right<Format::fraction>(size);
      const Mask none = L::equal(size, L::words(0));
      const Mask unusual = L::without(
          L::any(L::less(stored, L::words(least)), L::less(L::words(largest), stored)), none);
      Decimals decimals = shortest(stored, fraction);
      Words nine = decimals.digits;
      if constexpr (Format::most_digits < 9)
        nine = L::times(nine, L::words(Format::most_digits == 5 ? 10000 : 100000));
      nine = L::clear(none, nine);
      const Words leading = L::clear(none, decimals.leading);

      const Words first = Digits::template scaled<1441151881, 25>(nine);
      const Words eight = L::minus(nine, L::times(first, L::words(100000000)));
      const auto [even, odd] = typename Digits::Eights(eight);
      const Words digits_but_one = L::join(L::last_byte(even), L::even_to_odd(L::last_byte(odd)));

      const Words negative = L::template right<Format::sign>(bits);
      L::store(row, L::either(L::either(L::template left<8>(negative), digits_but_one),
                              L::template left<4>(L::minus(
                                  leading, L::words(static_cast<std::uint32_t>(least_leading))))));
      const Words ascii = L::words(0x30303030);
      const Words behind = L::plus(
          first, L::words('0' | static_cast<std::uint32_t>(static_cast<std::uint8_t>(mark)) << 8 |
                          '-' << 16 | '.' << 24));
      const Words further =
          L::plus(L::template left<24>(L::absolute(leading)),
                  L::words('0' | 'e' << 8 | '+' << 16 | static_cast<std::uint32_t>('0') << 24));
      L::store_quarters(characters, L::either(even, ascii), L::either(odd, ascii),
                        L::join(behind, L::even_to_odd(further)),
                        L::join(L::odd_to_even(behind), further));
      return L::bits(unusual);
    }
  };
};

template <typename L>
constexpr Writers writers_of() {
  return {DoubleWriter<L>::put, Writer<L, Binary<float, 23, 8, 7, 9, put_f32>>::put,
          Writer<L, Binary<std::uint16_t, 10, 5, 4, 5, put_f16>>::put,
          Writer<L, Binary<std::uint16_t, 7, 8, 3, 4, put_bf16>>::put};
}

}  // namespace pe::io::lanes
