// Whole rows are read and changed for whatever part of them is asked for.
#include "pe/diagnosis/rotations/rewritten.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace pe {

Stored rewritten(const Dump& dump, Index width, ChangedRow change) {
  const Stored& array = dump.arrays[0];
  Stored wide = array;
  wide.dtype = DType::f64;
  wide.fill = [array, before = dump.before[0], width, change = std::move(change)](
                  Index first, Index count, std::byte* out) {
    const Index row = first / width, end = (first + count + width - 1) / width;
    std::vector<double> x(static_cast<std::size_t>((end - row) * width)), y = x;
    before.read(row * width, std::ssize(x), x.data());
    array.read(row * width, std::ssize(y), y.data());
    for (Index r = row; r < end; ++r)
      change(r, x.data() + (r - row) * width, y.data() + (r - row) * width);
    std::copy_n(y.begin() + (first - row * width), count, reinterpret_cast<double*>(out));
  };
  return narrowed(wide, array.dtype);
}

}  // namespace pe
