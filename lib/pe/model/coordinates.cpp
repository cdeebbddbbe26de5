// Grids of cells in row-major order.
#include "pe/model/coordinates.hpp"

#include <fmt/format.h>

#include <charconv>

#include "pe/base/error.hpp"

namespace pe {

Coordinates grid_coordinates(const std::vector<Index>& extents) {
  const std::vector<std::string> names{"frame", "row", "column"};
  Coordinates grid{.axes = {names.end() - static_cast<std::ptrdiff_t>(extents.size()), names.end()},
                   .extents = extents,
                   .count = cells(extents),
                   .at = {}};
  std::vector<Index> strides(extents.size(), 1);
  for (std::size_t axis = extents.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * extents[axis];
  grid.at = [extents, strides](std::int64_t flat, std::size_t axis) {
    return flat / strides[axis] % extents[axis];
  };
  return grid;
}

namespace {

// "14x14" of 14 for a square, and of 14,14, 14*14, 14X14 and (14, 14); "" of anything else.
std::string grid_meant_by(std::string_view text, std::size_t rank) {
  std::vector<std::string> extents(1);
  for (const char c : text)
    if (c >= '0' && c <= '9')
      extents.back() += c;
    else if (std::string_view(",*X;:/ ()[]").find(c) == std::string_view::npos)
      return "";
    else if (!extents.back().empty())
      extents.emplace_back();
  if (extents.back().empty()) extents.pop_back();
  if (rank == 2 && extents.size() == 1) extents.push_back(extents.front());
  return extents.size() == rank ? fmt::format("{}", fmt::join(extents, "x")) : "";
}

}  // namespace

std::vector<Index> parse_grid(std::string_view text, std::size_t rank, std::string_view option) {
  const auto refuse = [&] {
    const std::string meant = grid_meant_by(text, rank);
    return UsageError(fmt::format(
        "--{} takes {}, positive whole numbers up to 2^40 cells in all, got '{}'{}", option,
        rank == 2 ? "HxW" : "TxHxW", text,
        meant.empty() || meant == text ? "" : fmt::format(": did you mean {}?", meant)));
  };
  std::vector<Index> extents;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t cross = std::min(text.find('x', start), text.size());
    Index extent = 0;
    const auto [end, failure] = std::from_chars(text.data() + start, text.data() + cross, extent);
    if (failure != std::errc() || end != text.data() + cross || extent < 1) throw refuse();
    extents.push_back(extent);
    start = cross + 1;
  }
  Index product = 1;
  for (const Index extent : extents)
    if (__builtin_mul_overflow(product, extent, &product) || product > (Index{1} << 40))
      throw refuse();
  if (extents.size() != rank) throw refuse();
  return extents;
}

Index cells(const std::vector<Index>& extents) {
  Index product = 1;
  for (const Index extent : extents) product *= extent;
  return product;
}

}  // namespace pe
