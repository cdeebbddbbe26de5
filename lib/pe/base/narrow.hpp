// Rounding doubles to f32, f16 and bf16, once and to nearest even, and widening them again.
// Integer arithmetic throughout: hardware and library conversions disagree on ties and subnormals.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pe/base/dtype.hpp"

namespace pe {

/// The IEEE binary16 pattern nearest to `value` (ties to even, overflow to infinity).
std::uint16_t to_f16(double value);

/// The bfloat16 pattern nearest to `value` (ties to even, overflow to infinity).
std::uint16_t to_bf16(double value);

double from_f16(std::uint16_t bits);
double from_bf16(std::uint16_t bits);

/// `value` rounded once to a type and widened again; to itself for f64 and for integers.
inline double rounded_once(double value, DType type) {
  // Of `fraction` bits, where rounding neither meets the type's subnormals nor its end.
  const auto cut = [&](int fraction, int least, int most, auto narrow, auto widen) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    if (exponent < least || exponent >= most) return widen(narrow(value));
    const std::uint64_t last = std::uint64_t{1} << (52 - fraction);
    return std::bit_cast<double>((bits + last / 2 - 1 + (bits / last & 1)) & ~(last - 1));
  };
  switch (type) {
    case DType::f32:
      return static_cast<double>(static_cast<float>(value));
    case DType::f16:
      return cut(10, -14, 15, to_f16, from_f16);
    case DType::bf16:
      return cut(7, -126, 127, to_bf16, from_bf16);
    default:
      return value;
  }
}

/// Rounds every value once to `type` and writes it at `out` (size_of(type) bytes each).
/// Integer types take values that are whole numbers.
void narrow(std::span<const double> values, DType type, std::byte* out);

/// The inverse: exact for every type but i64 beyond 2^53.
void widen(const std::byte* in, DType type, std::span<double> values);

}  // namespace pe
