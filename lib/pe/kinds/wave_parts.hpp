// Rows made of several waves, each along its own axis of the positions.
#pragma once

#include <span>

#include "pe/model/coordinates.hpp"
#include "pe/waves/waves.hpp"

namespace pe {

/// Some columns of a row.
struct WavePart {
  Waves waves;
  WaveLayout layout;     // of the whole row
  std::size_t axis = 0;  // the coordinate that the waves read
  PositionRange map{};   // coordinate c stands at (map.first + c·map.step) / 10^map.decimals
};

/// A row for each flat position, each value rounded once; columns that no part names are zero.
/// Positions are whole.
void fill(std::span<const WavePart> parts, const Coordinates& coordinates,
          const PositionRange& positions, DType dtype, std::byte* out);

}  // namespace pe
