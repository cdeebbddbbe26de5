// Array: shape arithmetic that cannot overflow, and widening access.
#include "pe/base/array.hpp"

#include <fmt/format.h>

#include <span>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {

Array::Array(DType dtype, std::vector<Index> shape, std::vector<std::byte> bytes)
    : dtype_(dtype), shape_(std::move(shape)) {
  size_ = 1;
  for (const Index extent : shape_)
    if (extent < 0 || __builtin_mul_overflow(size_, extent, &size_))
      throw MathError(fmt::format("the shape {} is not one of an array", spell_shape(shape_)));
  if (static_cast<std::size_t>(size_) * size_of(dtype) != bytes.size())
    throw MathError(fmt::format("{} bytes do not make an array of {} {}", bytes.size(),
                                spell_shape(shape_), name_of(dtype)));
  bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

Array::Array(DType dtype, std::vector<Index> shape, std::vector<std::byte> bytes,
             std::shared_ptr<const Held> held)
    : Array(dtype, std::move(shape), std::move(bytes)) {
  held_ = std::move(held);
}

double Array::at(Index flat) const {
  double value;
  read(flat, 1, &value);
  return value;
}

void Array::read(Index first, Index count, double* out) const {
  if (first < 0 || count < 0 || first > size_ - count)
    throw MathError(fmt::format("elements {} to {} of {} are read", first, first + count, size_));
  widen(data() + static_cast<std::size_t>(first) * size_of(dtype_), dtype_,
        std::span(out, static_cast<std::size_t>(count)));
}

std::string spell_shape(const std::vector<Index>& shape) {
  if (shape.empty()) return "scalar";
  return fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace pe
