// How numbers lie in a file, and windows on them that give the element types of this library.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pe/base/stored.hpp"
#include "pe/io/source.hpp"

namespace pe::io {

struct Element {
  DType dtype =
      DType::f64;         // what it becomes: integers the narrowest of i32 and i64 that holds them
  std::size_t bytes = 8;  // in the file
  bool is_unsigned = false;
  bool swapped = false;  // big-endian
};

/// 'f', 'i', 'u' or 'b' (a bool is an unsigned number) of so many bytes; nothing where there is no
/// such type.
std::optional<Element> element_of(char kind, std::size_t bytes);

/// The bytes that a shape takes; nothing when a signed 64-bit number cannot say how many.
std::optional<std::uint64_t> bytes_of_shape(const std::vector<Index>& shape, std::size_t element);

/// The array that lies dense and in C order from `offset` on; every window is read when it is asked
/// for. Complex numbers are pairs of elements, and `shape` does not have the axis of two yet.
Stored window(std::shared_ptr<const Source> source, std::uint64_t offset, const Element& element,
              std::vector<Index> shape, bool is_complex = false);

}  // namespace pe::io
