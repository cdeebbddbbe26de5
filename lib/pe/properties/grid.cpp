// separable: a grid's table splits into one table for each axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/properties/laws.hpp"

namespace pe::laws {

// P = Σ_a P_a with P_a a function of coordinate a alone, if and only if P(x) = Σ_a P(x_a alone) −
// (k−1) P(origin) for the k axes, "x_a alone" the cell that has x_a there and 0 elsewhere. With
// every entry within e of the truth both sides differ by at most (2k)·e, and adding costs 2k·2^-53
// of the largest partial sum.
Measurement separable(const Table& table, const Case& subject) {
  if (const std::string_view lacks = lacks_grid(subject.effect); !lacks.empty())
    return not_told(std::string(lacks));
  if (subject.foreign &&
      (subject.positions.at(0) > 0 ||
       existing(subject.positions.length(), first_positions(*table.grid->count)).count <
           *table.grid->count))
    return not_told("the dump does not hold the whole grid");
  Measurement result;
  const auto& extents = table.grid->extents;
  const std::size_t rank = extents.size();
  const Index width = table.width;
  const auto at = [&](const std::vector<double>& rows, Index row, Index column) {
    return rows[static_cast<std::size_t>(row * width + column)];
  };
  std::vector<std::vector<double>> alone;  // the rows of each axis, the other coordinates 0
  std::vector<Index> stride(rank, 1);
  for (std::size_t axis = rank; axis-- > 0;) {
    if (axis + 1 < rank) stride[axis] = stride[axis + 1] * extents[axis + 1];
    alone.insert(alone.begin(), rows_of(table, {0, stride[axis], extents[axis], 0}, subject.dtype));
  }
  double largest = 0;
  for_blocks(first_positions(*table.grid->count), width,
             [&](Index first, const PositionRange& block) {
               const auto rows = rows_of(table, block, subject.dtype);
               for (Index i = 0; i < block.count; ++i)
                 for (Index c = 0; c < width; ++c) {
                   double sum = -static_cast<double>(rank - 1) * at(alone[0], 0, c);
                   for (std::size_t axis = 0; axis < rank; ++axis)
                     sum += at(alone[axis], (first + i) / stride[axis] % extents[axis], c);
                   const double off = std::fabs(at(rows, i, c) - sum);
                   largest = std::max(largest, std::fabs(at(rows, i, c)));
                   if (!worse(off, result.worst)) continue;
                   result.worst = off;
                   std::string cell;
                   for (std::size_t axis = 0; axis < rank; ++axis)
                     cell += fmt::format("{}{} {}", axis ? ", " : "", table.grid->axes[axis],
                                         (first + i) / stride[axis] % extents[axis]);
                   result.witness = fmt::format("{}, channel {}: {:.9g}, the axes add to {:.9g}",
                                                cell, c, at(rows, i, c), sum);
                 }
             });
  const double e = entry_error(subject, largest), k = static_cast<double>(rank);
  result.bound = 2 * k * e + 2 * k * 0x1p-53 * (2 * k * largest);
  result.bound_from = fmt::format("2k·e and 2k additions in double, k = {}, e = {:.3g}{}", rank, e,
                                  spell_entry_error(subject));
  result.power = {result.bound + std::min(result.worst, result.bound), "any cell"};
  result.coverage = fmt::format("all {} cells", *table.grid->count);
  result.exhaustive = true;
  return result;
}

}  // namespace pe::laws
