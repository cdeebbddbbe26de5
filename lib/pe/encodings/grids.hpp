// What encodings of grids share: whose convention is meant, and a grid stretched to the trained
// one.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/real.hpp"
#include "pe/model/coordinates.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

/// The row that --convention names. Throws UsageError where none has that name.
template <typename Conventions>
const auto& convention_of(const Conventions& rows, const Parameters& parameters) {
  const std::string& name = parameters.choice("convention");
  for (const auto& row : rows)
    if (row.name == name) return row;
  throw UsageError(fmt::format("unknown convention '{}'", name));
}

/// What coordinates of each axis are multiplied by, --reference over the grid's extents; 1 where
/// none is given. Throws UsageError where coordinates that do not count from 0 would be stretched.
inline std::vector<Real> stretch_of(const Parameters& parameters, const std::vector<Index>& extents,
                                    bool counts_from_zero) {
  std::vector<Real> stretch(extents.size(), 1);
  if (!parameters.has("reference")) return stretch;
  const std::vector<Index> reference =
      parse_grid(parameters.choice("reference"), extents.size(), "reference");
  if (!counts_from_zero && reference != extents)
    throw UsageError(
        fmt::format("--reference has no meaning for --convention {}, whose "
                    "coordinates do not count from 0",
                    parameters.choice("convention")));
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    stretch[axis] = Real(reference[axis]) / extents[axis];
  return stretch;
}

}  // namespace pe
