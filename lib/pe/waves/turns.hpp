// A frequency as turns per position in fixed point, so that p·θ is reduced modulo 2π by one integer
// product.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pe/base/real.hpp"

namespace pe::engine {

/// |θ|/(2π) modulo 1 as limbs · 2^−(320 + shift), limbs little-endian. `shift` is 0 down to 2^−75
/// (at least 245 significant bits remain); below, the leading bit is set, so that tiny frequencies
/// keep 320 significant bits.
struct Turn {
  std::array<std::uint64_t, 5> limbs{};
  int shift = 0;
  bool negative = false;
  bool zero = true;    // θ = 0, exactly
  double radians = 0;  // |θ| rounded up, to know when a whole block turns by less than a radian
};

/// The turns of θ_j · 10^−decimals.
std::vector<Turn> turns_of(const std::vector<Real>& frequencies, int decimals);

/// An angle as (sector + r)/512 turns with |r| ≤ 1/2, where r/512 = high + low in turns.
struct Residue {
  double high = 0,
         low = 0;  // together 106 bits of the residue, relative error below 2^−104 unless coarse
  int sector = 0;  // 0 … 511
  bool coarse = false;  // so close to a whole sector that too few of the turn's bits are left
};

/// The angle of θ·half_positions/2: half positions, because blocks are centred between two rows.
Residue reduce(const Turn& turn, std::int64_t half_positions);

}  // namespace pe::engine
