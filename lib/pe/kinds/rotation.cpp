// Rotations made of waves, along one axis or several.
#include "pe/kinds/rotation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {

Index first_channel(const Rotation& rotation) {
  return rotation.last ? rotation.dim - 2 * rotation.pairs : 0;
}

PairChannels channels_of(const Rotation& rotation, Index pair) {
  const Index at = first_channel(rotation);
  const std::array<Index, 2> adjacent{at + 2 * pair, at + 2 * pair + 1};
  const Index in_block = rotation.pairs / rotation.blocks,
              start = at + pair / in_block * 2 * in_block + pair % in_block;
  const std::array<Index, 2> halves{start, start + in_block};
  PairChannels channels{rotation.pairing == Pairing::halves ? halves : adjacent,
                        rotation.pairing == Pairing::adjacent ? adjacent : halves};
  if (rotation.backward)  // the turn of (b, a) by an angle is that of (a, b) by its negative
    for (std::array<Index, 2>* side : {&channels.in, &channels.out})
      std::swap((*side)[0], (*side)[1]);
  return channels;
}

void check_positions(const Rotation& rotation, const PositionRange& positions) {
  if (!rotation.coordinates || positions.count == 0) return;
  if (positions.decimals != 0)
    throw UsageError("--positions must be whole numbers: they count cells or tokens");
  const auto [low, high] = std::minmax({positions.at(0), positions.at(positions.count - 1)});
  const auto& count = rotation.coordinates->count;
  if (low < 0 && !count)
    throw UsageError(fmt::format("position {} lies before the first token", low));
  if (count && (low < 0 || high >= *count))
    throw UsageError(
        fmt::format("position {} lies outside the grid, which has {} cells: give a larger --grid",
                    low < 0 ? low : high, *count));
}

Rotation wave_rotation(const Waves& waves, Index dim, Pairing pairing, std::vector<Real> unscaled) {
  const Index pairs = waves.pairs();
  return {.dim = dim,
          .pairs = pairs,
          .pairing = pairing,
          .by_channel = false,
          .waves = waves,
          .unscaled = std::move(unscaled),
          .magnitude = to_double(waves.magnitude()),
          .fill = [waves, pairs](const PositionRange& positions, DType dtype, std::byte* cosine,
                                 std::byte* sine) {
            if (cosine)
              waves.fill(positions, {.width = pairs, .sine = {}, .cosine = Place{}}, dtype, cosine);
            if (sine)
              waves.fill(positions, {.width = pairs, .sine = Place{}, .cosine = {}}, dtype, sine);
          }};
}

Rotation carrying_scales(const Rotation& rotation, Side side) {
  Rotation carrying = rotation;
  carrying.scale = {};
  carrying.scale_rule.reset();
  carrying.carries_scales = true;
  carrying.fill = [fill = rotation.fill, scale = rotation.scale, side, n = rotation.pairs](
                      const PositionRange& positions, DType dtype, std::byte* cosine,
                      std::byte* sine) {
    const auto count = static_cast<std::size_t>(positions.count * n);
    std::vector<double> scales(count), turns(count);
    const auto bytes = [](std::vector<double>& values) {
      return reinterpret_cast<std::byte*>(values.data());
    };
    scale(positions, DType::f64, side == Side::query ? bytes(scales) : nullptr,
          side == Side::key ? bytes(scales) : nullptr);
    for (std::byte* out : {cosine, sine}) {
      if (!out) continue;
      fill(positions, DType::f64, out == cosine ? bytes(turns) : nullptr,
           out == cosine ? nullptr : bytes(turns));
      for (std::size_t i = 0; i < count; ++i) turns[i] *= scales[i];
      narrow(turns, dtype, out);
    }
  };
  return carrying;
}

Rotation axial_rotation(Index dim, Pairing pairing, const std::vector<AxialPair>& pairs,
                        Coordinates coordinates, const std::vector<PositionRange>& maps,
                        const Real& magnitude) {
  const auto count = static_cast<Index>(pairs.size());
  std::vector<Real> steps;  // radians for one step of the coordinate
  for (const AxialPair& pair : pairs)
    steps.push_back(pair.frequency * maps[pair.axis].step /
                    pow(Real(10), maps[pair.axis].decimals));
  // Pairs of one axis that stand at equal distances are one part.
  std::vector<WavePart> sines, cosines;
  for (std::size_t axis = 0; axis < maps.size(); ++axis) {
    std::vector<Index> own;
    for (Index j = 0; j < count; ++j)
      if (pairs[static_cast<std::size_t>(j)].axis == axis) own.push_back(j);
    for (std::size_t first = 0, end; first < own.size(); first = end) {
      end = std::min(first + 2, own.size());
      const Index stride = end - first == 2 ? own[first + 1] - own[first] : 1;
      while (end < own.size() && own[end] - own[end - 1] == stride) ++end;
      std::vector<Real> frequencies;
      for (std::size_t i = first; i < end; ++i)
        frequencies.push_back(pairs[static_cast<std::size_t>(own[i])].frequency);
      const Waves waves(std::move(frequencies), magnitude);
      const Place place{own[first], stride};
      sines.push_back({waves, {count, place, {}}, axis, maps[axis]});
      cosines.push_back({waves, {count, {}, place}, axis, maps[axis]});
    }
  }
  Rotation rotation = wave_rotation(Waves(steps, magnitude), dim, pairing, steps);
  rotation.fill = [sines, cosines, coordinates](const PositionRange& positions, DType dtype,
                                                std::byte* cosine, std::byte* sine) {
    if (cosine) pe::fill(cosines, coordinates, positions, dtype, cosine);
    if (sine) pe::fill(sines, coordinates, positions, dtype, sine);
  };
  rotation.coordinates = std::move(coordinates);
  rotation.parts = std::move(sines);
  return rotation;
}

}  // namespace pe
