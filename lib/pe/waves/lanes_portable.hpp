// Two doubles at a time, in plain C++ that any machine runs, and the scalar lanes of single
// evaluations.
#pragma once

#include <bit>
#include <cstring>

#include "pe/base/narrow.hpp"
#include "pe/waves/strip.hpp"

namespace pe::engine {

/// a·b − p for p the double nearest to a·b, without a fused multiply-add: Dekker's halves of 26
/// bits.
template <class Reals>
inline Reals product_error_by_halves(Reals a, Reals b, Reals p) {
  const Reals a_spread = 0x1.0000002p27 * a, b_spread = 0x1.0000002p27 * b;
  const Reals a_high = a_spread - (a_spread - a), a_low = a - a_high;
  const Reals b_high = b_spread - (b_spread - b), b_low = b - b_high;
  return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

struct Scalar {
  using Reals = double;
  static Reals set(double x) { return x; }
  static Reals muladd(Reals a, Reals b, Reals c) { return a * b + c; }
  static Reals product_error(Reals a, Reals b, Reals p) { return product_error_by_halves(a, b, p); }
};

struct Portable {
  typedef double Reals __attribute__((vector_size(16)));
  typedef std::uint32_t Words __attribute__((vector_size(16)));
  static constexpr Count width = 2, bytes = 16;

  static Reals load(const double* p) { return *reinterpret_cast<const Reals*>(p); }
  static void store(double* p, Reals x) { *reinterpret_cast<Reals*>(p) = x; }
  static Reals set(double x) { return Reals{x, x}; }
  static Reals muladd(Reals a, Reals b, Reals c) { return a * b + c; }
  static Reals mulsub(Reals a, Reals b, Reals c) { return a * b - c; }
  static Reals product_error(Reals a, Reals b, Reals p) { return product_error_by_halves(a, b, p); }
  static Reals absolute(Reals x) { return x < 0 ? -x : x; }

  static Words words(std::uint32_t x) { return Words{x, x, x, x}; }
  static Words as_words(Reals x) { return std::bit_cast<Words>(x); }
  static Words smaller(Words a, Words b) { return a < b ? a : b; }
  static Words plus(Words a, Words b) { return a + b; }
  static Words either(Words a, Words b) { return a | b; }
  static Words different(Words a, Words b) { return a ^ b; }
  template <int bits>
  static Words shifted(Words a) {
    return a << bits;
  }
  static bool any_below(Words a, std::uint32_t a_limit, Words b, std::uint32_t b_limit) {
    const auto below = (a < a_limit) | (b < b_limit);
    return (below[0] | below[1] | below[2] | below[3]) != 0;
  }
  // The least of `least` and the magnitudes of a and b, as f32 patterns.
  static Words least_size(Words least, Words a, Words b) {
    return smaller(least, smaller(a & 0x7fffffffu, b & 0x7fffffffu));
  }
  static bool same(Words a, Words b) {
    const Words difference = a ^ b;
    return (difference[0] | difference[1] | difference[2] | difference[3]) == 0;
  }

  // The low halves of the doubles' patterns, in any order.
  static Words low_words(Reals a, Reals b) {
    return Words{low_word(a[0]), low_word(a[1]), low_word(b[0]), low_word(b[1])};
  }
  static Words to_f32(Reals a, Reals b) {
    return Words{f32(a[0]), f32(a[1]), f32(b[0]), f32(b[1])};
  }
  static Words to_odd_f32(Reals a, Reals b) {
    return Words{odd_f32(a[0]), odd_f32(a[1]), odd_f32(b[0]), odd_f32(b[1])};
  }
  static Words odd_to_f16(Words a, Words b) {
    std::uint16_t halves[8];
    for (int i = 0; i < 4; ++i) {
      halves[i] = f16(a[i]);
      halves[4 + i] = f16(b[i]);
    }
    return std::bit_cast<Words>(halves);
  }
  static Words odd_to_bf16(
      Words a, Words b) {  // an odd number is no tie: adding half a unit rounds to nearest
    std::uint16_t halves[8];
    for (int i = 0; i < 4; ++i) {
      halves[i] = bf16(a[i]);
      halves[4 + i] = bf16(b[i]);
    }
    return std::bit_cast<Words>(halves);
  }

  template <int element_bytes>
  static void interleave(Words a, Words b, Words& low, Words& high) {
    std::byte mixed[32];
    for (int i = 0; i < 16 / element_bytes; ++i) {
      std::memcpy(mixed + 2 * i * element_bytes,
                  reinterpret_cast<std::byte*>(&a) + i * element_bytes, element_bytes);
      std::memcpy(mixed + (2 * i + 1) * element_bytes,
                  reinterpret_cast<std::byte*>(&b) + i * element_bytes, element_bytes);
    }
    std::memcpy(&low, mixed, 16);
    std::memcpy(&high, mixed + 16, 16);
  }
  static void put(std::byte* p, Words x) { std::memcpy(p, &x, 16); }
  static void stream(std::byte* p, Words x) { put(p, x); }
  static void fence() {}

 private:
  static std::uint32_t low_word(double x) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x));
  }
  static std::uint32_t f32(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }
  static std::uint32_t odd_f32(
      double x) {  // 24 bits kept of the significand: the conversion is exact
    return f32(std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~((1ull << 29) - 1))) | 1;
  }
  static std::uint16_t f16(std::uint32_t odd) {
    return to_f16(static_cast<double>(std::bit_cast<float>(odd)));
  }
  static std::uint16_t bf16(std::uint32_t odd) {
    return static_cast<std::uint16_t>((odd + 0x8000) >> 16);
  }
};

}  // namespace pe::engine
