// Views of a dump by other axes: heads that lie in one row, tables that were written by columns.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

Dump with_heads(const Dump& dump, Index dim) {
  Dump split = dump;
  for (std::vector<Stored>* arrays : {&split.arrays, &split.before})
    for (Stored& array : *arrays) {
      const Index width = array.shape.empty() ? 0 : array.shape.back();
      if (dim < 2 || width <= dim || width % dim != 0) return dump;
      array.shape.back() = width / dim;
      array.shape.push_back(dim);
    }
  return split;
}

std::optional<Dump> by_columns(const Expectation& expected, const Dump& dump, Index dim) {
  Dump turned = dump;
  bool any = false;
  for (Stored& array : turned.arrays) {
    std::vector<Index> shape = array.shape;
    std::erase(shape, 1);
    if (shape.size() != 2) continue;
    const bool is_table = shape[0] == dim || 2 * shape[0] == dim;
    if (!is_table || (expected.rows && shape[1] < *expected.rows)) return {};
    array = transposed(array, shape[1], shape[0]);
    any = true;
  }
  return any ? std::optional(std::move(turned)) : std::nullopt;
}

}  // namespace pe
