// Rounding to f32, f16, bf16 in integer arithmetic.
#include "pe/base/narrow.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#include "pe/base/whole.hpp"

namespace pe {
namespace {

// Rounds to a binary format of `fraction` fraction bits and the given exponent range, both ≤
// binary64's.
template <int fraction, int bias, int exponent_bits>
std::uint16_t round_to(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 63) << 15);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t mantissa = bits & ((1ull << 52) - 1);
  constexpr int infinite = (1 << exponent_bits) - 1;
  constexpr auto infinity = static_cast<std::uint16_t>(infinite << fraction);
  if (biased == 0x7ff) {
    const auto quiet = static_cast<std::uint16_t>(mantissa ? 1 << (fraction - 1) : 0);
    return static_cast<std::uint16_t>(sign | infinity | quiet);
  }
  const int exponent = biased - 1023 + bias;  // in the target's biased scale
  if (exponent >= infinite) return static_cast<std::uint16_t>(sign | infinity);
  // A subnormal target keeps fewer bits: the implicit one becomes explicit and the cut moves up.
  int cut = 52 - fraction;
  std::uint64_t pattern;
  if (exponent >= 1) {
    pattern = (static_cast<std::uint64_t>(exponent) << 52) | mantissa;
  } else {
    if (biased == 0) return sign;  // a binary64 subnormal is far below every target's
    pattern = (1ull << 52) | mantissa;
    cut += 1 - exponent;
    if (cut > 63) return sign;
  }
  const std::uint64_t half = 1ull << (cut - 1), rest = pattern & ((1ull << cut) - 1);
  std::uint64_t kept = pattern >> cut;
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;  // a carry runs into the exponent, as it should
  return static_cast<std::uint16_t>(sign | kept);
}

template <typename T>
void narrow_as(std::span<const double> values, std::byte* out, auto convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T narrow = convert(values[i]);
    std::memcpy(out + i * sizeof(T), &narrow, sizeof(T));
  }
}

template <typename T>
void widen_as(const std::byte* in, std::span<double> values, auto convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    T narrow;
    std::memcpy(&narrow, in + i * sizeof(T), sizeof(T));
    values[i] = convert(narrow);
  }
}

}  // namespace

std::uint16_t to_f16(double value) { return round_to<10, 15, 5>(value); }
std::uint16_t to_bf16(double value) { return round_to<7, 127, 8>(value); }

double from_f16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double value;
  if (exponent == 31)
    value = fraction ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    value = fraction * 0x1p-24;
  else  // the same fields, each in its place of a double
    value = std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1008) << 52 |
                                  static_cast<std::uint64_t>(fraction) << 42);
  return bits & 0x8000 ? -value : value;
}

double from_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

void narrow(std::span<const double> values, DType type, std::byte* out) {
  switch (type) {
    case DType::f64:
      std::memcpy(out, values.data(), values.size_bytes());
      return;
    case DType::f32:
      return narrow_as<float>(values, out, [](double v) { return static_cast<float>(v); });
    case DType::f16:
      return narrow_as<std::uint16_t>(values, out, to_f16);
    case DType::bf16:
      return narrow_as<std::uint16_t>(values, out, to_bf16);
    case DType::i64:
      return narrow_as<std::int64_t>(values, out,
                                     [](double v) { return saturated<std::int64_t>(v); });
    case DType::i32:
      return narrow_as<std::int32_t>(values, out,
                                     [](double v) { return saturated<std::int32_t>(v); });
  }
}

void widen(const std::byte* in, DType type, std::span<double> values) {
  const auto same = [](auto v) { return static_cast<double>(v); };
  switch (type) {
    case DType::f64:
      std::memcpy(values.data(), in, values.size_bytes());
      return;
    case DType::f32:
      return widen_as<float>(in, values, same);
    case DType::f16:
      return widen_as<std::uint16_t>(in, values, from_f16);
    case DType::bf16:
      return widen_as<std::uint16_t>(in, values, from_bf16);
    case DType::i64:
      return widen_as<std::int64_t>(in, values, same);
    case DType::i32:
      return widen_as<std::int32_t>(in, values, same);
  }
}

}  // namespace pe
