// Stored: widening, and taking 16-bit integers for bfloat16.
#include "pe/base/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/ulp.hpp"

namespace pe {

Index Stored::size() const {
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  return size;
}

void Stored::read(Index first, Index count, double* out) const {
  if (dtype == DType::f64) return fill(first, count, reinterpret_cast<std::byte*>(out));
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size_of(dtype));
  fill(first, count, bytes.data());
  widen(bytes.data(), dtype, std::span(out, static_cast<std::size_t>(count)));
}

std::vector<Index> squeezed(const std::vector<Index>& shape) {
  std::vector<Index> rest;
  for (const Index extent : shape)
    if (extent != 1) rest.push_back(extent);
  if (rest.empty()) rest.push_back(1);
  return rest;
}

Stored stored(const Array& array, std::string name, std::string shown) {
  return {.name = std::move(name),
          .shown = std::move(shown),
          .dtype = array.dtype(),
          .shape = array.shape(),
          .fill = [array](Index first, Index count, std::byte* out) {
            const std::size_t size = size_of(array.dtype());
            std::memcpy(out, array.data() + static_cast<std::size_t>(first) * size,
                        static_cast<std::size_t>(count) * size);
          }};
}

Stored as_bf16(const Stored& stored) {
  Stored bits = stored;
  bits.u16 = false;
  bits.dtype = DType::bf16;
  bits.fill = [fill = stored.fill](Index first, Index count, std::byte* out) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    fill(first, count, reinterpret_cast<std::byte*>(numbers.data()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto half = static_cast<std::uint16_t>(numbers[i]);
      std::memcpy(out + i * sizeof half, &half, sizeof half);
    }
  };
  return bits;
}

Stored narrowed(const Stored& stored, DType type) {
  Stored other = stored;
  other.dtype = type;
  other.fill = [wide = stored, type](Index first, Index count, std::byte* out) {
    std::vector<double> values(static_cast<std::size_t>(count));
    wide.read(first, count, values.data());
    narrow(values, type, out);
  };
  return other;
}

Stored with_bytes_reversed(const Stored& stored) {
  Stored other = stored;
  other.fill = [fill = stored.fill, size = size_of(stored.dtype)](Index first, Index count,
                                                                  std::byte* out) {
    fill(first, count, out);
    for (std::byte* end = out + static_cast<std::size_t>(count) * size; out != end; out += size)
      std::reverse(out, out + size);
  };
  return other;
}

std::optional<DType> type_of_numbers(const Stored& stored) {
  constexpr Index chunk = 1 << 14;
  std::vector<DType> types;
  for (const DType type : {DType::f32, DType::f16, DType::bf16})
    if (!is_integer(stored.dtype) && unit_roundoff(type) > unit_roundoff(stored.dtype))
      types.push_back(type);
  std::vector<double> values;
  for (Index first = 0; first < stored.size() && !types.empty(); first += chunk) {
    values.resize(static_cast<std::size_t>(std::min(chunk, stored.size() - first)));
    stored.read(first, std::ssize(values), values.data());
    std::erase_if(types, [&](DType type) { return !on_grid(values, type); });
  }
  return types.empty() ? std::nullopt : std::optional(types.back());
}

namespace {

// Elements of one entry along an axis.
Index inner_of(const Stored& array, std::size_t axis) {
  Index inner = 1;
  for (std::size_t i = axis + 1; i < array.shape.size(); ++i) inner *= array.shape[i];
  return inner;
}

// A view of columns reads a few bytes here and there, a call each: an array of so many bytes it
// takes into memory at the first, and of a longer one whole columns at once while they are short.
constexpr std::size_t most_held = std::size_t{4} << 20, longest_column = 4096;
constexpr std::size_t read_at_once = std::size_t{1} << 18;

// Reads as `array` does, from memory where it is small.
decltype(Stored::fill) fill_at_hand(const Stored& array) {
  const std::size_t size = size_of(array.dtype);
  const auto bytes = static_cast<std::size_t>(array.size()) * size;
  if (bytes > most_held) return array.fill;
  struct Held {
    std::once_flag once;
    std::vector<std::byte> bytes;
  };
  return [fill = array.fill, count = array.size(), size, held = std::make_shared<Held>(), bytes](
             Index first, Index wanted, std::byte* out) {
    std::call_once(held->once, [&] {
      std::vector<std::byte> all(bytes);
      fill(0, count, all.data());
      held->bytes = std::move(all);
    });
    std::memcpy(out, held->bytes.data() + static_cast<std::size_t>(first) * size,
                static_cast<std::size_t>(wanted) * size);
  };
}

// Elements first … first+count−1 of [row, column] out of [column, row] at an offset: a block of
// rows is gathered from one read for some columns, or for each.
void gather(const decltype(Stored::fill)& fill, Index offset, Index rows, Index width, Index first,
            Index count, std::size_t size, std::byte* out) {
  const Index from = first / width, until = (first + count - 1) / width, lines = until - from + 1;
  const std::size_t column_bytes = static_cast<std::size_t>(rows) * size;
  const Index at_once = column_bytes > longest_column
                            ? 1
                            : std::min(width, static_cast<Index>(read_at_once / column_bytes));
  std::vector<std::byte> read(static_cast<std::size_t>((at_once - 1) * rows + lines) * size);
  for (Index column = 0, taken; column < width; column += taken) {
    taken = std::min(at_once, width - column);
    fill(offset + column * rows + from, (taken - 1) * rows + lines, read.data());
    for (Index row = from; row <= until; ++row)
      for (Index other = 0; other < taken; ++other) {
        const Index at = row * width + column + other - first;
        if (at >= 0 && at < count)
          std::memcpy(out + static_cast<std::size_t>(at) * size,
                      read.data() + static_cast<std::size_t>(other * rows + row - from) * size,
                      size);
      }
  }
}

}  // namespace

Stored transposed(const Stored& array, Index rows, Index width) {
  Stored other = array;
  other.shape = {width, rows};
  return moved_last(other, 0);
}

Stored moved_last(const Stored& array, std::size_t axis) {
  Stored other = array;
  const Index width = array.shape[axis], rows = inner_of(array, axis);
  other.shape.erase(other.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  other.shape.push_back(width);
  other.fill = [fill = fill_at_hand(array), rows, width, size = size_of(array.dtype)](
                   Index first, Index count, std::byte* out) {
    const Index block = rows * width;
    for (Index i = 0, taken; i < count; i += taken) {
      const Index start = (first + i) % block;
      taken = std::min(block - start, count - i);
      gather(fill, first + i - start, rows, width, start, taken, size,
             out + static_cast<std::size_t>(i) * size);
    }
  };
  return other;
}

Stored rows_of(const Stored& array, std::size_t axis, Index first, Index count) {
  Stored part = array;
  const Index inner = inner_of(array, axis);
  part.shape[axis] = count;
  part.fill = [fill = array.fill, whole = array.shape[axis] * inner, skipped = first * inner,
               block = count * inner,
               size = size_of(array.dtype)](Index from, Index number, std::byte* out) {
    while (number > 0) {
      const Index some = std::min(number, block - from % block);
      fill(from / block * whole + skipped + from % block, some, out);
      from += some;
      number -= some;
      out += static_cast<std::size_t>(some) * size;
    }
  };
  return part;
}

Stored gathered(const Stored& array, std::size_t axis, std::vector<Index> entries) {
  Stored part = array;
  part.shape[axis] = std::ssize(entries);
  part.fill = [fill = array.fill, whole = array.shape[axis], inner = inner_of(array, axis),
               entries = std::move(entries),
               size = size_of(array.dtype)](Index from, Index number, std::byte* out) {
    while (number > 0) {
      const Index some = std::min(number, inner - from % inner), line = from / inner,
                  count = std::ssize(entries),
                  source = line / count * whole + entries[static_cast<std::size_t>(line % count)];
      fill(source * inner + from % inner, some, out);
      from += some;
      number -= some;
      out += static_cast<std::size_t>(some) * size;
    }
  };
  return part;
}

Stored at_hand(const Stored& stored) {
  Stored near = stored;
  near.fill = fill_at_hand(stored);
  return near;
}

Array collect(const Stored& stored) {
  const std::size_t size = static_cast<std::size_t>(stored.size()) * size_of(stored.dtype);
  auto held = std::make_shared<Held>();
  if (!held->take(size))
    throw FileError(fmt::format("{} must be held in memory whole, and takes {} MiB, more than {}",
                                stored.shown, size >> 20, held->budget().spell_most()));
  std::vector<std::byte> bytes(size);
  stored.fill(0, stored.size(), bytes.data());
  return {stored.dtype, stored.shape, std::move(bytes), std::move(held)};
}

}  // namespace pe
