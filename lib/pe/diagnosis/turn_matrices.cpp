// Matrices of two by two that are rotations, told by their second columns.
#include "pe/diagnosis/turn_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/causes.hpp"

namespace pe {

std::optional<MatrixReading> turn_matrices(const Stored& array) {
  const std::size_t axes = array.shape.size();
  if (axes < 4 || array.is_complex || array.u16 || is_integer(array.dtype) ||
      array.shape[axes - 1] != 2 || array.shape[axes - 2] != 2 || array.size() == 0)
    return {};
  constexpr Index each = 4, block = 4096;
  const Index count = array.size() / each;
  Index unlike = 0, first = 0;
  std::vector<double> values(block * each);
  for (Index from = 0; from < count; from += block) {
    const Index some = std::min(block, count - from);
    array.read(from * each, some * each, values.data());
    for (Index i = 0; i < some; ++i) {
      const double* m = values.data() + i * each;
      const bool is_turn = (m[3] == m[0] && m[1] == -m[2]) || m[0] != m[0] || m[2] != m[2];
      if (!is_turn && unlike++ == 0) first = from + i;
    }
  }
  // Numbers that are paired by chance are no matrices.
  if (4 * unlike > count) return {};
  Stored flat = array;
  flat.shape.resize(axes - 1);
  flat.shape.back() = each;
  MatrixReading matrices{gathered(flat, axes - 2, {0, 2})};
  if (unlike > 0)
    matrices.reason = {Cause::copies_differ,
                       fmt::format("{} of {} matrices are no turns: their second columns are not "
                                   "the first ones turned, the first of them matrix {}",
                                   unlike, count, first)};
  return matrices;
}

}  // namespace pe
