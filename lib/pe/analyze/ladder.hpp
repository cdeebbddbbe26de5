// The frequencies of an effect, pair by pair, whatever kind of effect turns them.
#pragma once

#include <string>
#include <vector>

#include "pe/base/real.hpp"
#include "pe/kinds/effect.hpp"

namespace pe {

struct LadderPair {
  Real frequency;    // θ_j, radians per position along its axis
  Real unscaled;     // before any scaling
  std::string axis;  // the coordinate that it reads: position, row, column, frame, …
  Index extent = 0;  // cells of a grid along it; 0: it has no end
};

/// The pairs of a rotation, or of the waves that a table is made of, in their order. Throws
/// UsageError, naming `asker`, for an effect without frequencies: a learned table, somebody's dump.
std::vector<LadderPair> ladder_of(const Effect& effect, const std::string& asker);

/// Frequencies alone, as doubles.
std::vector<double> frequencies_of(const std::vector<LadderPair>& pairs);

}  // namespace pe
