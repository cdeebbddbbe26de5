// What encodings of grids share: whose convention is meant, a grid stretched to the trained one,
// and one that a merger takes in blocks.
#pragma once

#include <fmt/format.h>

#include <cstdint>
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

inline constexpr Parameter spatial_scale_parameter{
    .name = "spatial-scale",
    .type = Parameter::Type::number,
    .help = "divides rows and columns (diffusers' interpolation_scale; default: as they are)",
    .lowest = "1e-6",
    .highest = "1e6",
    .config = "spatial_interpolation_scale interpolation_scale"};

inline constexpr Parameter temporal_scale_parameter{
    .name = "temporal-scale",
    .type = Parameter::Type::number,
    .help = "divides frames (diffusers' temporal_interpolation_scale; default: as they are)",
    .lowest = "1e-6",
    .highest = "1e6",
    .config = "temporal_interpolation_scale"};

/// What coordinates of each axis are multiplied by, the frames' first where there are three: the
/// extents of --reference over the grid's own, over --temporal-scale and --spatial-scale; 1 where
/// none is given. Throws UsageError where coordinates that do not count from 0 would be stretched.
inline std::vector<Real> stretch_of(const Parameters& parameters, const std::vector<Index>& extents,
                                    bool counts_from_zero) {
  std::vector<Real> stretch(extents.size(), 1);
  const auto refuse = [&](const char* name) {
    throw UsageError(
        fmt::format("--{} has no meaning for --convention {}, whose "
                    "coordinates do not count from 0",
                    name, parameters.choice("convention")));
  };
  if (parameters.has("reference")) {
    const std::vector<Index> reference =
        parse_grid(parameters.choice("reference"), extents.size(), "reference");
    if (!counts_from_zero && reference != extents) refuse("reference");
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      stretch[axis] = Real(reference[axis]) / extents[axis];
  }
  const std::size_t frames = extents.size() - 2;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const char* const name = axis < frames ? "temporal-scale" : "spatial-scale";
    if (!parameters.has(name)) continue;
    const Real scale = parameters.number(name).real();
    if (!counts_from_zero && scale != 1) refuse(name);
    stretch[axis] /= scale;
  }
  return stretch;
}

inline constexpr Parameter merge_parameter{
    .name = "merge",
    .help = "patches come in blocks of so many squared, as a merger takes them (Qwen2-VL: 2)",
    .fallback = "1",
    .lowest = "1",
    .highest = "64"};

/// The cells of a grid whose rows and columns come --merge by --merge at a time, frame by frame
/// where there are frames (transformers' vision_utils.get_vision_position_ids). Throws UsageError
/// where such blocks do not fill it.
inline Coordinates merged_grid(const std::vector<Index>& extents, const Parameters& parameters) {
  Coordinates grid = grid_coordinates(extents);
  const Index merge = parameters.integer("merge");
  if (merge == 1) return grid;
  const Index height = extents.end()[-2], width = extents.back();
  if (height % merge != 0 || width % merge != 0)
    throw UsageError(fmt::format("--merge {} must divide rows and columns of --grid {}", merge,
                                 parameters.choice("grid")));
  grid.extents.clear();  // no longer row by row
  grid.at = [merge, cells = height * width, across = width / merge, row = extents.size() - 2](
                std::int64_t flat, std::size_t axis) {
    if (axis < row) return flat / cells;
    const std::int64_t of_frame = flat % cells, inside = of_frame % (merge * merge),
                       block = of_frame / (merge * merge);
    return axis == row ? block / across * merge + inside / merge
                       : block % across * merge + inside % merge;
  };
  return grid;
}

}  // namespace pe
