// Cells of csv that are written together and taken one by one.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "pe/io/csv_cells.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {

/// Copies `size` bytes, and whatever lies behind them up to a multiple of copy_step; returns the
/// end.
inline constexpr std::size_t copy_step = 16;
inline char* copy_steps(char* out, const char* from, std::size_t size) {
  for (std::size_t done = 0; done < size; done += copy_step)
    std::memcpy(out + done, from + done, copy_step);
  return out + size;
}

/// Texts of numbers, each behind a comma.
class CellTexts {
 public:
  /// take() touches no more.
  static constexpr std::size_t widest = longest_number + 1 + copy_step;

  /// Room for `most` at once.
  explicit CellTexts(Index most)
      : text_(static_cast<std::size_t>(most) * (longest_number + 1) + widest, ',') {}

  void write(const std::byte* elements, Index count, DType dtype) {
    close(put_numbers(text_.data(), elements, count, dtype, ','));
  }
  /// The coordinates of an axis that has no names.
  void write(const Axis& axis, Index first, Index count) {
    char* out = text_.data();
    for (Index i = first; i < first + count; ++i) {
      *out++ = ',';
      out = put_coordinate(out, axis, i);
    }
    close(out);
  }
  /// The first is the next to be taken again.
  void rewind() { next_ = 0; }

  /// The next one at `out`, with its comma; returns the end.
  char* take(char* out) {
    const std::size_t first = next_;
    skip();
    return copy_steps(out, text_.data() + first, next_ - first);
  }
  void skip() {
    ++next_;
    if constexpr (std::endian::native != std::endian::little) {
      next_ = text_.find(',', next_);
      return;
    }
    for (;; next_ += 8) {  // the lowest byte that is a comma, if any, leaves its highest bit
      std::uint64_t eight;
      std::memcpy(&eight, text_.data() + next_, sizeof eight);
      eight ^= 0x2c2c2c2c2c2c2c2c;
      const std::uint64_t commas = (eight - 0x0101010101010101) & ~eight & 0x8080808080808080;
      if (commas == 0) continue;
      next_ += static_cast<std::size_t>(std::countr_zero(commas)) / 8;
      return;
    }
  }

 private:
  void close(char* end) {
    *end = ',';
    rewind();
  }

  std::string text_;
  std::size_t next_ = 0;  // where its comma stands
};

}  // namespace pe::io
