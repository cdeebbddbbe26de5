// Turns as matrices: each pair's rotation as [[cos, −sin], [sin, cos]], as FLUX hands its own to
// attention.
#pragma once

#include <optional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// An array [..., pair, 2, 2] of rotations as one of turns, [..., pair, (cos, sin)]: the first
/// columns. Nothing where it is no such array.
struct MatrixReading {
  Stored turns;
  std::optional<Reason> reason = {};  // second columns are not the first ones, turned
};
std::optional<MatrixReading> turn_matrices(const Stored& array);

}  // namespace pe
