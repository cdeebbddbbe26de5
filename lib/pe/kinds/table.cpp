// Tables made of waves.
#include "pe/kinds/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pe {

double slopes_of(std::string_view solver, double steps) {
  if (solver == "rk4") return 4 * steps;
  if (solver == "euler") return steps;
  return solver == "dopri5" ? 60 : 1;  // 7 for each of some steps, by the tolerance
}

Work work_of(const SlopeWork& solving, double last) {
  const double rows = last + 1;
  return {.what = fmt::format("{:.0f} slopes of some {:.2g} operations at each of {:.0f} positions",
                              solving.slopes, solving.operations, rows),
          .operations = solving.slopes * rows * solving.operations,
          .levers = {{"length", rows}},
          .other = solving.smaller};
}

Table wave_table(const Waves& waves, const WaveLayout& layout) {
  const double largest = to_double(waves.magnitude());
  return {.width = layout.width,
          .rows = {},
          .range = std::pair{-largest, largest},
          .fill = [waves, layout](const PositionRange& positions, DType dtype,
                                  std::byte* out) { waves.fill(positions, layout, dtype, out); },
          .waves = std::pair{waves, layout}};
}

Table grid_table(std::vector<WavePart> parts, Coordinates grid) {
  Table table;
  table.width = parts.front().layout.width;
  table.rows = grid.count;
  table.range = std::pair{-1.0, 1.0};
  table.parts = parts;
  table.fill = [parts = std::move(parts), grid](const PositionRange& positions, DType dtype,
                                                std::byte* out) {
    pe::fill(parts, grid, positions, dtype, out);
  };
  table.beyond = "give a larger --grid";
  table.grid = std::move(grid);
  return table;
}

namespace {

// The pairs of a part that have both sides within the first columns.
WavePart whole_pairs(WavePart part, Index width) {
  const Place &sine = *part.layout.sine, &cosine = *part.layout.cosine;
  std::vector<Real> frequencies = part.waves.frequencies();
  Index whole = 0;
  while (whole < part.waves.pairs() && sine.offset + whole * sine.step < width &&
         cosine.offset + whole * cosine.step < width)
    ++whole;
  frequencies.resize(static_cast<std::size_t>(whole));
  part.waves = Waves(std::move(frequencies));
  part.layout.width = width;
  return part;
}

}  // namespace

Table first_columns(const Table& table, Index width) {
  Table cut = table;
  cut.width = width;
  cut.waves.reset();
  cut.parts.clear();
  const std::vector<WavePart> parts =
      table.waves ? std::vector{WavePart{table.waves->first, table.waves->second}} : table.parts;
  for (const WavePart& part : parts)
    if (WavePart whole = whole_pairs(part, width); whole.waves.pairs() > 0)
      cut.whole_pairs.push_back(std::move(whole));
  cut.fill = [fill = table.fill, wide = table.width, width](const PositionRange& positions,
                                                            DType dtype, std::byte* out) {
    const std::size_t from = static_cast<std::size_t>(wide) * size_of(dtype),
                      to = static_cast<std::size_t>(width) * size_of(dtype);
    const Index block = std::max<Index>(1, (Index{1} << 16) / wide);
    std::vector<std::byte> rows(static_cast<std::size_t>(std::min(block, positions.count)) * from);
    for (Index first = 0; first < positions.count; first += block) {
      const Index count = std::min(block, positions.count - first);
      fill(positions.slice(first, count), dtype, rows.data());
      for (Index i = 0; i < count; ++i)
        std::memcpy(out + static_cast<std::size_t>(first + i) * to,
                    rows.data() + static_cast<std::size_t>(i) * from, to);
    }
  };
  return cut;
}

}  // namespace pe
