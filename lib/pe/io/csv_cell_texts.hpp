// Cells of csv that are written together and taken one by one.
#pragma once

#include <cstring>
#include <string>

#include "pe/io/csv_cells.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {

/// Texts of numbers, each behind a comma.
class CellTexts {
  static constexpr std::size_t step = 16;  // bytes that are copied at once

 public:
  /// take() touches no more.
  static constexpr std::size_t widest = longest_number + 1 + step;

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
    for (std::size_t done = 0; done < next_ - first; done += step)
      std::memcpy(out + done, text_.data() + first + done, step);
    return out + (next_ - first);
  }
  void skip() { next_ = text_.find(',', next_ + 1); }

 private:
  void close(char* end) {
    *end = ',';
    rewind();
  }

  std::string text_;
  std::size_t next_ = 0;  // where its comma stands
};

}  // namespace pe::io
