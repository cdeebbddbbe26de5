// Forms of a rotation made from its turns.
#include "pe/dialects/rotation_forms.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"

namespace pe {
namespace {

Axis positions_axis(const PositionRange& positions) {
  return {"position", positions, "position in the sequence"};
}
Axis counted(std::string name, Index count, std::string description) {
  return {std::move(name), first_positions(count), std::move(description)};
}
Axis pair_axis(const Rotation& rotation) {
  return counted("pair", rotation.pairs, "pair of channels");
}

// Copies the element `from` of one buffer to element `to` of another; `negate` flips its sign bit
// (little-endian) unless it is zero.
void put(const std::vector<std::byte>& source, Index from, std::byte* out, Index to,
         std::size_t size, bool negate = false) {
  std::memcpy(out + static_cast<std::size_t>(to) * size,
              source.data() + static_cast<std::size_t>(from) * size, size);
  const bool zero = std::all_of(out + static_cast<std::size_t>(to) * size,
                                out + static_cast<std::size_t>(to + 1) * size,
                                [](std::byte b) { return b == std::byte{0}; });
  if (negate && !zero) out[static_cast<std::size_t>(to + 1) * size - 1] ^= std::byte{0x80};
}

struct Turns {
  std::vector<std::byte> cosine, sine;
};
Turns turns_of(const Rotation& rotation, const PositionRange& positions, DType dtype) {
  const std::size_t bytes =
      static_cast<std::size_t>(positions.count * rotation.pairs) * size_of(dtype);
  Turns turns{std::vector<std::byte>(bytes), std::vector<std::byte>(bytes)};
  rotation.fill(positions, dtype, turns.cosine.data(), turns.sine.data());
  return turns;
}

// What one pair turns by: frequency · (first + step·coordinate), the frequency for one unit of
// 10^−decimals.
struct PairAngle {
  Twofold frequency;
  std::size_t axis = 0;
  PositionRange map{0, 1, 0, 0};
};

std::vector<PairAngle> angles_of(const Rotation& rotation, int decimals) {
  std::vector<PairAngle> angles(static_cast<std::size_t>(rotation.pairs));
  const auto unit = [](int digits) { return pow(Real(10), digits); };
  for (std::size_t j = 0; rotation.parts.empty() && j < angles.size(); ++j)
    angles[j].frequency = to_twofold(rotation.waves->frequencies()[j] / unit(decimals));
  for (const WavePart& part : rotation.parts)
    for (Index k = 0; k < part.waves.pairs(); ++k)
      angles[static_cast<std::size_t>(part.layout.sine->offset + k * part.layout.sine->step)] = {
          to_twofold(part.waves.frequencies()[static_cast<std::size_t>(k)] /
                     unit(part.map.decimals)),
          part.axis, part.map};
  return angles;
}

}  // namespace

Field spell_angles(const Rotation& rotation, const PositionRange& positions, DType dtype) {
  if (!rotation.waves) return {};
  const auto angles = angles_of(rotation, positions.decimals);
  return {.name = "angle",
          .description = {},
          .axes = {positions_axis(positions), pair_axis(rotation)},
          .dtype = dtype,
          .fill = [angles, positions, dtype, map = rotation.coordinates](Index first, Index count,
                                                                         std::byte* out) {
            std::vector<double> row(angles.size());
            for (Index i = 0; i < count; ++i) {
              const std::int64_t p = positions.at(first + i);
              for (std::size_t j = 0; j < row.size(); ++j) {
                const std::int64_t place = angles[j].map.at(map ? map->at(p, angles[j].axis) : p);
                row[j] = round_to_odd(multiply(angles[j].frequency, static_cast<double>(place)));
                if (dtype == DType::f64)
                  row[j] = multiply(angles[j].frequency, static_cast<double>(place)).high;
              }
              narrow(row, dtype, out + static_cast<std::size_t>(i) * row.size() * size_of(dtype));
            }
          }};
}

Field spell_complex(const Rotation& rotation, const PositionRange& positions, DType dtype) {
  return {.name = "complex",
          .description = {},
          .axes = {positions_axis(positions), pair_axis(rotation),
                   counted("part", 2, "0: real, 1: imaginary")},
          .dtype = dtype,
          .fill = [rotation, positions, dtype](Index first, Index count, std::byte* out) {
            const Index n = rotation.pairs, row = first / n,
                        rows = (first + count - 1) / n - row + 1;  // a line is one pair
            const Turns turns = turns_of(rotation, positions.slice(row, rows), dtype);
            for (Index i = 0; i < count; ++i) {
              put(turns.cosine, first - row * n + i, out, 2 * i, size_of(dtype));
              put(turns.sine, first - row * n + i, out, 2 * i + 1, size_of(dtype));
            }
          }};
}

Field spell_matrix(const Rotation& rotation, const PositionRange& positions, DType dtype) {
  // Row r of the matrix: the pair that writes channel r, and whether r is its second channel; −1
  // passes through.
  std::vector<Index> pair(static_cast<std::size_t>(rotation.dim), -1);
  std::vector<bool> second(pair.size());
  for (Index j = 0; j < rotation.pairs; ++j)
    for (const std::size_t side : {0u, 1u}) {
      const auto row = static_cast<std::size_t>(channels_of(rotation, j).out[side]);
      pair[row] = j;
      second[row] = side == 1;
    }
  return {
      .name = "matrix",
      .description = {},
      .axes = {positions_axis(positions), counted("row", rotation.dim, "channel that is written"),
               counted("column", rotation.dim, "channel that is read")},
      .dtype = dtype,
      .fill = [rotation, positions, dtype, pair, second](Index first, Index count, std::byte* out) {
        const Index n = rotation.pairs, dim = rotation.dim, start = first / dim,
                    rows = (first + count - 1) / dim - start + 1;
        const Turns turns = turns_of(rotation, positions.slice(start, rows), dtype);
        const std::size_t size = size_of(dtype), line = static_cast<std::size_t>(dim) * size;
        const double one = 1;
        std::memset(out, 0, static_cast<std::size_t>(count) * line);
        for (Index i = 0; i < count; ++i) {
          std::byte* to = out + static_cast<std::size_t>(i) * line;
          const Index row = (first + i) % dim, position = (first + i) / dim - start,
                      j = pair[static_cast<std::size_t>(row)];
          if (j < 0) {
            narrow(std::span(&one, 1), dtype, to + static_cast<std::size_t>(row) * size);
            continue;
          }
          const auto in = channels_of(rotation, j).in;
          const bool lower = second[static_cast<std::size_t>(row)];
          put(turns.cosine, position * n + j, to, in[lower ? 1 : 0], size);
          put(turns.sine, position * n + j, to, in[lower ? 0 : 1], size, !lower);
        }
      }};
}

Field spell_scale(const Rotation& rotation, const PositionRange& positions, DType dtype,
                  Side side) {
  return {.name = side == Side::key ? "key_scale" : "query_scale",
          .description = {},
          .axes = {positions_axis(positions), pair_axis(rotation)},
          .dtype = dtype,
          .fill = [scale = rotation.scale, positions, dtype, side](Index first, Index count,
                                                                   std::byte* out) {
            scale(positions.slice(first, count), dtype, side == Side::query ? out : nullptr,
                  side == Side::key ? out : nullptr);
          }};
}

Field spell_coordinates(const Rotation& rotation, const PositionRange& positions) {
  if (!rotation.coordinates) return {};
  std::string names;
  for (const std::string& name : rotation.coordinates->axes)
    names += (names.empty() ? "" : ", ") + name;
  return {
      .name = "coordinate",
      .description = {},
      .axes = {positions_axis(positions),
               counted("axis", static_cast<Index>(rotation.coordinates->axes.size()), names)},
      .dtype = DType::i64,
      .fill = [map = *rotation.coordinates, positions](Index first, Index count, std::byte* out) {
        std::vector<double> row(map.axes.size());
        for (Index i = 0; i < count; ++i) {
          for (std::size_t axis = 0; axis < row.size(); ++axis)
            row[axis] = static_cast<double>(map.at(positions.at(first + i), axis));
          narrow(row, DType::i64,
                 out + static_cast<std::size_t>(i) * row.size() * sizeof(std::int64_t));
        }
      }};
}

}  // namespace pe
