// An array in memory with its dtype: what a file holds, before anyone says what it means.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/base/dtype.hpp"

namespace pe {

/// Dense, C order, immutable, cheap to copy (the bytes are shared).
class Array {
 public:
  Array() = default;
  /// Throws MathError when the shape's product overflows or does not match the bytes.
  Array(DType dtype, std::vector<Index> shape, std::vector<std::byte> bytes);
  /// The same, which a budget holds as long as anybody has the array.
  Array(DType dtype, std::vector<Index> shape, std::vector<std::byte> bytes,
        std::shared_ptr<const Held> held);

  DType dtype() const { return dtype_; }
  const std::vector<Index>& shape() const { return shape_; }
  Index rank() const { return static_cast<Index>(shape_.size()); }
  Index size() const { return size_; }
  const std::byte* data() const { return bytes_ ? bytes_->data() : nullptr; }

  /// The element at a flat C-order index, widened to double.
  double at(Index flat) const;
  /// Elements first … first+count−1 in C order, widened to double.
  void read(Index first, Index count, double* out) const;

 private:
  DType dtype_ = DType::f64;
  std::vector<Index> shape_;
  Index size_ = 0;
  std::shared_ptr<const std::vector<std::byte>> bytes_;
  std::shared_ptr<const Held> held_;
};

/// "131072 x 128": a shape as messages print it.
std::string spell_shape(const std::vector<Index>& shape);

}  // namespace pe
