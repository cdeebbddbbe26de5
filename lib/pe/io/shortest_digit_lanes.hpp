// Decimal digits of a register of numbers.
#pragma once

#include <cstdint>

namespace pe::io::lanes {

/// `L` is an instruction set, as Writer has it.
template <typename L>
struct DigitLanes {
  using Words = typename L::Words;

  // ⌊x · multiplier / 2^(32 + shift)⌋
  template <std::uint32_t multiplier, int shift>
  static Words scaled(Words x) {
    const Words even = L::product(x, L::words(multiplier));
    const Words odd = L::product(L::odd_to_even(x), L::words(multiplier));
    return L::template right<shift>(L::join(L::odd_to_even(even), odd));
  }
  static Words times_ten(Words x) {
    return L::plus(L::template left<3>(x), L::template left<1>(x));
  }

  // Two numbers below 10000 in each word of 64 bits, as eight bytes 0 … 9, the first digit lowest.
  static Words spread(Words fours) {
    const Words hundreds = L::template right<4>(L::upper_product16(fours, L::words(10486)));
    const Words rest = L::minus(fours, L::product16(hundreds, L::words(100)));
    const Words twos = L::either(hundreds, L::template left<16>(rest));
    const Words tens = L::upper_product16(twos, L::words(6554 << 16 | 6554));
    const Words ones = L::minus(twos, L::product16(tens, L::words(10 << 16 | 10)));
    return L::either(tens, L::template left<8>(ones));
  }

  // Two numbers of eight digits in each word of 64 bits, each as eight bytes 0 … 9.
  struct Eights {
    Words even, odd;
    explicit Eights(Words eight) {
      const Words upper_four = scaled<3518437209, 13>(eight);
      const Words lower_four = L::minus(eight, L::times(upper_four, L::words(10000)));
      even = spread(L::join(upper_four, L::even_to_odd(lower_four)));
      odd = spread(L::join(L::odd_to_even(upper_four), lower_four));
    }
  };
};

}  // namespace pe::io::lanes
