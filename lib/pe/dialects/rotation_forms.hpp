// Further forms of a rotation: angles, complex numbers, matrices, scales and the coordinates they
// are made from.
#pragma once

#include "pe/kinds/rotation.hpp"
#include "pe/model/field.hpp"

namespace pe {

/// The turn of each pair in radians, not reduced: [position, pair]. No fill when the frequencies
/// are not known.
Field spell_angles(const Rotation& rotation, const PositionRange& positions, DType dtype);

/// cos + i·sin: [position, pair, part], part 0 real and 1 imaginary.
Field spell_complex(const Rotation& rotation, const PositionRange& positions, DType dtype);

/// R(p), which maps the channels of a head to those that it writes, zeros included: [position, row,
/// column].
Field spell_matrix(const Rotation& rotation, const PositionRange& positions, DType dtype);

/// xPos' factor of a query's or a key's turned pairs: [position, pair]. The rotation must have
/// scales.
Field spell_scale(const Rotation& rotation, const PositionRange& positions, DType dtype, Side side);

/// Where each position stands along each axis: [position, axis]. No fill for positions that are
/// numbers.
Field spell_coordinates(const Rotation& rotation, const PositionRange& positions);

}  // namespace pe
