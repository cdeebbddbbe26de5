// Distances between numbers of a type, and one rounding to it.
#include "pe/base/ulp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pe/base/narrow.hpp"

namespace pe {
namespace {

// Numbers of a type in order, one integer each.
std::int64_t order(double value, DType dtype) {
  const auto signed_order = [](std::uint64_t bits, int width) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    return bits & sign ? -static_cast<std::int64_t>(bits & (sign - 1))
                       : static_cast<std::int64_t>(bits);
  };
  switch (dtype) {
    case DType::f32:
      return signed_order(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 32);
    case DType::f16:
      return signed_order(to_f16(value), 16);
    case DType::bf16:
      return signed_order(to_bf16(value), 16);
    default:
      return signed_order(std::bit_cast<std::uint64_t>(value), 64);
  }
}

// The least positive number of a type.
double least(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 0x1p-149;
    case DType::f16:
      return 0x1p-24;
    case DType::bf16:
      return 0x1p-133;
    default:
      return is_integer(dtype) ? 1 : 0x1p-1074;
  }
}

}  // namespace

double ulps_between(double a, double b, DType dtype) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::infinity();
  if (is_integer(dtype)) return std::fabs(a - b);
  return std::fabs(static_cast<double>(order(a, dtype)) - static_cast<double>(order(b, dtype)));
}

void round_to(DType dtype, std::span<const double> values, double* out) {
  if (is_integer(dtype))
    std::ranges::transform(values, out, [](double value) { return std::nearbyint(value); });
  else
    std::ranges::transform(values, out,
                           [dtype](double value) { return rounded_once(value, dtype); });
}

bool on_grid(std::span<const double> values, DType dtype) {
  return std::ranges::all_of(values, [&](double value) {
    double rounded = 0;
    round_to(dtype, {&value, 1}, &rounded);
    return rounded == value || std::isnan(value);
  });
}

double rounding_error(double magnitude, DType dtype) {
  if (dtype == DType::f16 && magnitude >= 65520)
    return std::numeric_limits<double>::infinity();  // it rounds to infinity
  return unit_roundoff(dtype) * magnitude + least(dtype) / 2;
}

double half_step(double value, double unit) {
  return value == 0 ? 0 : unit * std::exp2(std::floor(std::log2(std::fabs(value))));
}

}  // namespace pe
