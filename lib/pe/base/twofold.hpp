// Double-double numbers: an unevaluated sum high + low with |low| ≤ ulp(high)/2.
// Needs round-to-nearest and no contraction (the build sets -ffp-contract=off).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "pe/base/real.hpp"

namespace pe {

struct Twofold {
  double high = 0, low = 0;
};

/// a + b exactly (Knuth).
inline Twofold two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a · b exactly, short of overflow and underflow.
inline Twofold two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// The product with relative error below 2^-104.
inline Twofold multiply(Twofold a, double b) {
  const Twofold product = two_product(a.high, b);
  return two_sum(product.high, std::fma(a.low, b, product.low));
}

/// The nearest double-double (relative error below 2^-106).
inline Twofold to_twofold(const Real& value) {
  const double high = to_double(value);
  return {high, to_double(value - high)};
}

/// The sum rounded to odd: toward zero, with the last bit set when anything was cut off. Rounding
/// this once more, to any format with at most 51 bits, equals rounding the sum itself (Boldo &
/// Melquiond 2008).
inline double round_to_odd(Twofold value) {
  if (value.low == 0) return value.high;
  auto bits = std::bit_cast<std::uint64_t>(value.high);
  if ((bits & 1) == 0) bits += (value.low > 0) == (value.high > 0) ? 1 : ~std::uint64_t{0};
  return std::bit_cast<double>(bits);
}

/// The same for a Real, whose last computed digits are not trusted: a value within 2^-300 of a
/// double is that double.
inline double round_to_odd(const Real& value) {
  const Twofold parts = to_twofold(value);
  return std::fabs(parts.low) < std::fabs(parts.high) * 0x1p-300 ? parts.high : round_to_odd(parts);
}

}  // namespace pe
