// Rows of several waves: each coordinate is evaluated once in a block and copied to the cells that
// share it.
#include "pe/kinds/wave_parts.hpp"

#include <algorithm>
#include <cstring>

namespace pe {
namespace {

// Copies the elements that a place names from one row to another.
void copy_place(const std::optional<Place>& place, Index pairs, std::size_t size,
                const std::byte* from, std::byte* to) {
  if (!place) return;
  for (Index copy = 0; copy < place->copies; ++copy)
    for (Index pair = 0; pair < pairs; ++pair) {
      const auto at =
          static_cast<std::size_t>(place->offset + pair * place->step + copy * place->copy_step) *
          size;
      std::memcpy(to + at, from + at, size);
    }
}

// Coordinates of a block repeat: the span they lie in is filled once and copied out.
void fill_span(const WavePart& part, const std::vector<std::int64_t>& coordinates, std::int64_t low,
               Index span, DType dtype, std::byte* out) {
  const std::size_t size = size_of(dtype), row = static_cast<std::size_t>(part.layout.width) * size;
  std::vector<std::byte> once(static_cast<std::size_t>(span) * row);
  part.waves.fill({part.map.at(low), part.map.step, span, part.map.decimals}, part.layout, dtype,
                  once.data());
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::byte* from = once.data() + static_cast<std::size_t>(coordinates[i] - low) * row;
    copy_place(part.layout.sine, part.waves.pairs(), size, from, out + i * row);
    copy_place(part.layout.cosine, part.waves.pairs(), size, from, out + i * row);
  }
}

// Coordinates of a block are mostly different: arithmetic runs of them are filled in place.
void fill_runs(const WavePart& part, const std::vector<std::int64_t>& coordinates, DType dtype,
               std::byte* out) {
  const std::size_t row = static_cast<std::size_t>(part.layout.width) * size_of(dtype);
  for (std::size_t first = 0, end; first < coordinates.size(); first = end) {
    end = std::min(first + 2, coordinates.size());
    const std::int64_t step = end - first == 2 ? coordinates[first + 1] - coordinates[first] : 0;
    while (end < coordinates.size() && coordinates[end] - coordinates[end - 1] == step) ++end;
    part.waves.fill({part.map.at(coordinates[first]), step * part.map.step,
                     static_cast<Index>(end - first), part.map.decimals},
                    part.layout, dtype, out + first * row);
  }
}

}  // namespace

void fill(std::span<const WavePart> parts, const Coordinates& map, const PositionRange& positions,
          DType dtype, std::byte* out) {
  if (parts.empty()) return;
  const std::size_t row = static_cast<std::size_t>(parts.front().layout.width) * size_of(dtype);
  std::memset(out, 0, static_cast<std::size_t>(positions.count) * row);
  const Index block =
      std::max<Index>(1, (Index{1} << 16) / std::max<Index>(1, parts.front().layout.width));
  std::vector<std::int64_t> coordinates;
  for (Index first = 0; first < positions.count; first += block) {
    const Index count = std::min(block, positions.count - first);
    coordinates.resize(static_cast<std::size_t>(count));
    for (const WavePart& part : parts) {
      for (Index i = 0; i < count; ++i)
        coordinates[static_cast<std::size_t>(i)] = map.at(positions.at(first + i), part.axis);
      const auto [low, high] = std::ranges::minmax(coordinates);
      std::byte* rows = out + static_cast<std::size_t>(first) * row;
      if (high - low + 1 < count)
        fill_span(part, coordinates, low, high - low + 1, dtype, rows);
      else
        fill_runs(part, coordinates, dtype, rows);
    }
  }
}

}  // namespace pe
