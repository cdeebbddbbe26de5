// Own turns: those that vectors went through by another formula than a turn's, whatever the angles
// are.
#pragma once

#include <vector>

#include "pe/diagnosis/rotations/norms.hpp"

namespace pe {

/// Vectors as a turn would have made them, by each formula by which all vectors of one position
/// went through the cosines and sines of one turn, to 8 roundings of their type; these are the
/// vectors' own, by least squares, and where they are not to be told the vectors have gaps. Nothing
/// where a turn did so, where positions have one vector each, or for more than 2^20 cosines.
std::vector<RestoredDump> restored_by_own_turns(const Dump& dump, const RotationReading& reading);

}  // namespace pe
