// The element types that files carry, and their sizes and names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pe {

using Index = std::int64_t;

enum class DType : std::uint8_t { f64, f32, f16, bf16, i64, i32 };

constexpr std::size_t size_of(DType type) {
  switch (type) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::f16:
    case DType::bf16:
      return 2;
  }
  return 0;
}

constexpr bool is_integer(DType type) { return type == DType::i64 || type == DType::i32; }

/// Half the distance from 1 to the next number: the relative error of one rounding to nearest.
constexpr double unit_roundoff(DType type) {
  switch (type) {
    case DType::f64:
      return 0x1p-53;
    case DType::f32:
      return 0x1p-24;
    case DType::f16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    case DType::i64:
    case DType::i32:
      return 0;
  }
  return 0;
}

/// Roundoffs of types of 16 bits lie above, those of longer ones below.
constexpr double short_unit = 0x1p-13;

/// "f32", "bf16", … as `--dtype` spells them.
std::string_view name_of(DType type);

/// The inverse of name_of for the real types; throws UsageError naming the choices.
DType parse_dtype(std::string_view name);

}  // namespace pe
