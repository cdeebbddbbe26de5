// Numbers as the shortest decimal text that reads back to the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pe/base/dtype.hpp"
#include "pe/waves/isa.hpp"

namespace pe::io {

/// No number is longer, and put_numbers writes no further behind the end of one.
inline constexpr std::size_t longest_number = 32;

/// Each writes at `out` and returns the end. f32 follows std::to_chars to the letter, f16 and bf16
/// do likewise in their own precision; "nan", "inf" and "-inf" are the others.
char* put_integer(char* out, std::int64_t value);
char* put_f64(char* out, double value);
char* put_f32(char* out, float value);
char* put_f16(char* out, std::uint16_t bits);
char* put_bf16(char* out, std::uint16_t bits);

/// One element of `dtype` from memory.
char* put_number(char* out, const std::byte* element, DType dtype);

/// `count` elements, each behind a `separator`; the same text by every instruction set.
char* put_numbers(char* out, const std::byte* elements, Index count, DType dtype, char separator,
                  Isa isa = best_isa());

/// value / 10^decimals, exactly: 25, 2 is 0.25.
char* put_decimal(char* out, std::int64_t value, int decimals);

}  // namespace pe::io
