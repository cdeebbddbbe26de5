// Arrays in the caller's memory, and elements of ours.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pe/pe.hpp"

namespace pe {
namespace {

std::vector<Index> dense_strides(const std::vector<Index>& shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t axis = shape.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

[[noreturn]] void refuse(const std::string& line) { throw Failure(Failure::Kind::usage, line); }

DType half_type(DType half) {
  if (half != DType::f16 && half != DType::bf16)
    refuse(fmt::format("16 bits are those of f16 or bf16, not of {}", name_of(half)));
  return half;
}

// Product of the extents; refuses what no array has.
Index elements_in(const std::vector<Index>& shape) {
  Index size = 1;
  if (shape.empty()) refuse("an array needs an axis: give its shape, such as {4096, 64}");
  for (const Index extent : shape)
    if (extent < 1 || __builtin_mul_overflow(size, extent, &size))
      refuse(fmt::format("the shape {} is not one of an array with values", spell_shape(shape)));
  return size;
}

// The elements must lie in the memory that was given.
void check_strides(const std::vector<Index>& shape, const std::vector<Index>& strides, Index room) {
  if (strides.size() != shape.size())
    refuse(fmt::format("an array of {} axes needs as many strides, got {}", shape.size(),
                       strides.size()));
  Index last = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Index reach = 0;
    if (strides[axis] < 0 || __builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      refuse(fmt::format("strides {} lead out of the memory", fmt::join(strides, ", ")));
  }
  if (last >= room)
    refuse(fmt::format("an array {} with strides {} takes {} elements, and {} are given",
                       spell_shape(shape), fmt::join(strides, ", "), last + 1, room));
}

template <typename Element>
std::span<const Element> elements_of(const Array& array, bool fits) {
  if (!fits)
    refuse(fmt::format("the array's elements are {}: take the type that has these, or read()",
                       name_of(array.dtype())));
  return {reinterpret_cast<const Element*>(array.data()), static_cast<std::size_t>(array.size())};
}

}  // namespace

View::View(const void* data, std::size_t room, DType dtype, std::vector<Index> shape,
           std::vector<Index> strides)
    : data_(static_cast<const std::byte*>(data)),
      dtype_(dtype),
      shape_(std::move(shape)),
      strides_(std::move(strides)),
      size_(elements_in(shape_)) {
  if (strides_.empty()) {
    strides_ = dense_strides(shape_);
    if (room != static_cast<std::size_t>(size_))
      refuse(fmt::format("an array {} has {} elements, and {} are given", spell_shape(shape_),
                         size_, room));
    return;
  }
  check_strides(shape_, strides_, static_cast<Index>(room));
  is_dense_ = strides_ == dense_strides(shape_);
}

View::View(std::span<const double> values, std::vector<Index> shape, std::vector<Index> strides)
    : View(values.data(), values.size(), DType::f64, std::move(shape), std::move(strides)) {}
View::View(std::span<const float> values, std::vector<Index> shape, std::vector<Index> strides)
    : View(values.data(), values.size(), DType::f32, std::move(shape), std::move(strides)) {}
View::View(std::span<const std::int64_t> values, std::vector<Index> shape,
           std::vector<Index> strides)
    : View(values.data(), values.size(), DType::i64, std::move(shape), std::move(strides)) {}
View::View(std::span<const std::int32_t> values, std::vector<Index> shape,
           std::vector<Index> strides)
    : View(values.data(), values.size(), DType::i32, std::move(shape), std::move(strides)) {}
View::View(std::span<const std::uint16_t> bits, DType half, std::vector<Index> shape,
           std::vector<Index> strides)
    : View(bits.data(), bits.size(), half_type(half), std::move(shape), std::move(strides)) {}

View View::named(std::string name) const {
  View other = *this;
  other.name_ = std::move(name);
  return other;
}

void View::copy(Index first, Index count, std::byte* out) const {
  const std::size_t size = size_of(dtype_);
  const auto bytes = [&](Index elements) { return static_cast<std::size_t>(elements) * size; };
  if (is_dense_) {
    std::memcpy(out, data_ + bytes(first), bytes(count));
    return;
  }
  // Line by line along the last axis.
  const Index width = shape_.back(), step = strides_.back();
  while (count > 0) {
    Index line = first / width, at = first % width * step;
    for (std::size_t axis = shape_.size() - 1; axis-- > 0; line /= shape_[axis])
      at += line % shape_[axis] * strides_[axis];
    const Index some = std::min(count, width - first % width);
    for (Index i = 0; i < some; ++i, out += size)
      std::memcpy(out, data_ + bytes(at + i * step), size);
    first += some;
    count -= some;
  }
}

template <>
std::span<const double> values_of<double>(const Array& array) {
  return elements_of<double>(array, array.dtype() == DType::f64);
}
template <>
std::span<const float> values_of<float>(const Array& array) {
  return elements_of<float>(array, array.dtype() == DType::f32);
}
template <>
std::span<const std::int32_t> values_of<std::int32_t>(const Array& array) {
  return elements_of<std::int32_t>(array, array.dtype() == DType::i32);
}
template <>
std::span<const std::uint16_t> values_of<std::uint16_t>(const Array& array) {
  return elements_of<std::uint16_t>(array,
                                    array.dtype() == DType::f16 || array.dtype() == DType::bf16);
}

const Array& Arrays::operator[](std::string_view name) const {
  std::string names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.array;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  refuse(fmt::format("no array '{}'; there are {}", name, names));
}

}  // namespace pe
