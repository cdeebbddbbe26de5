// The curve that every kind's decay has, so that all of them stand in one table.
#pragma once

#include <string>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

struct ScoreCurve {
  Axis distance;
  std::vector<double> score;
  Error error;
  bool scales = true;  // score / (score at distance 0) has a meaning
  std::vector<std::string> notes = {};
};

/// score, and what softmax makes of its fall: the weight of a key beside the one at distance 0.
Sheet sheet_of(ScoreCurve curve);

/// How far a score less the one at distance 0 may be off, and e to the power of it: relative, and
/// below e^-745 in units of the smallest doubles.
Error fall_error(const Error& score, double first);
Error weight_error(const Error& fall, double deepest);

}  // namespace pe
