// Windows: positioned reads, byte order, and narrow integers widened.
#include "pe/io/element.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pe::io {
namespace {

constexpr Index piece = 1 << 16;  // elements widened at a time

void swap_bytes(std::byte* data, std::size_t count, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i) std::reverse(data + i * size, data + (i + 1) * size);
}

template <typename From, typename To>
void widen(const std::byte* in, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, in + i * sizeof from, sizeof from);
    const To to = from;
    std::memcpy(out + i * sizeof to, &to, sizeof to);
  }
}

void widen(const Element& element, const std::byte* in, std::size_t count, std::byte* out) {
  if (element.bytes == 4) return widen<std::uint32_t, std::int64_t>(in, count, out);
  if (element.bytes == 2)
    return element.is_unsigned ? widen<std::uint16_t, std::int32_t>(in, count, out)
                               : widen<std::int16_t, std::int32_t>(in, count, out);
  return element.is_unsigned ? widen<std::uint8_t, std::int32_t>(in, count, out)
                             : widen<std::int8_t, std::int32_t>(in, count, out);
}

void read_window(const Source& source, std::uint64_t offset, const Element& element, Index first,
                 Index count, std::byte* out) {
  const std::uint64_t at = offset + static_cast<std::uint64_t>(first) * element.bytes;
  const auto elements = static_cast<std::size_t>(count);
  if (element.bytes == size_of(element.dtype)) {
    source.read(at, out, elements * element.bytes);
    if (element.swapped) swap_bytes(out, elements, element.bytes);
    if (!element.is_unsigned) return;
    for (std::size_t i = 7; i < elements * 8; i += 8)
      if (std::to_integer<unsigned>(out[i]) >> 7)
        source.refuse("it holds whole numbers beyond 2^63");
    return;
  }
  std::vector<std::byte> raw(static_cast<std::size_t>(std::min(count, piece)) * element.bytes);
  for (std::size_t done = 0; done < elements;) {
    const std::size_t some = std::min<std::size_t>(elements - done, piece);
    source.read(at + done * element.bytes, raw.data(), some * element.bytes);
    if (element.swapped) swap_bytes(raw.data(), some, element.bytes);
    widen(element, raw.data(), some, out + done * size_of(element.dtype));
    done += some;
  }
}

}  // namespace

std::optional<Element> element_of(char kind, std::size_t bytes) {
  const bool whole = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (kind == 'f' && bytes > 1 && whole)
    return Element{bytes == 8 ? DType::f64 : bytes == 4 ? DType::f32 : DType::f16, bytes};
  if (kind == 'i' && whole) return Element{bytes == 8 ? DType::i64 : DType::i32, bytes};
  if (kind == 'u' && whole) return Element{bytes >= 4 ? DType::i64 : DType::i32, bytes, true};
  if (kind == 'b' && bytes == 1) return Element{DType::i32, bytes, true};
  return std::nullopt;
}

std::optional<std::uint64_t> bytes_of_shape(const std::vector<Index>& shape, std::size_t element) {
  // Room for widening and for the axis of complex numbers: what can be said in the file can be said
  // in memory.
  constexpr Index most = INT64_MAX / 16;
  auto bytes = static_cast<Index>(element);
  for (const Index extent : shape)
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes) || bytes > most)
      return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

Stored window(std::shared_ptr<const Source> source, std::uint64_t offset, const Element& element,
              std::vector<Index> shape, bool is_complex) {
  if (is_complex) shape.push_back(2);
  Stored stored{
      .name = "", .shown = "", .dtype = element.dtype, .shape = std::move(shape), .fill = {}};
  stored.u16 = element.is_unsigned && element.bytes == 2;
  stored.is_complex = is_complex;
  stored.fill = [source = std::move(source), offset, element](Index first, Index count,
                                                              std::byte* out) {
    read_window(*source, offset, element, first, count, out);
  };
  return stored;
}

}  // namespace pe::io
