// The pairs of channels that M_k turns, wherever an encoding keeps them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

/// One pair: the channels that it is read from and written to, and what it turns by for a step of
/// its axis. The first channel of a table's pair is its sine, of a rotation's the one that the
/// cosine stays on: (first, second) → (c·first + sign·s·second, c·second − sign·s·first).
struct ShiftPair {
  std::array<Index, 2> in{}, out{};
  Real frequency;
  std::string axis;
};

struct Shifting {
  std::vector<ShiftPair> pairs;
  Index width = 0;
  double sign = 1;   // −1: a rotation
  std::string axis;  // that k counts along
};

/// Of a dump, what the encoding that it is held against would have. No pairs: rows are made of no
/// waves.
Shifting shifting_of(const Question& question);

struct Turn {
  double angle = 0, cosine = 1, sine = 0;
};

/// The turn of a pair by k, from its angle to 120 digits: reduced exactly however large k is.
Turn turn_of(const Shifting& shifting, const ShiftPair& pair, std::int64_t k);

}  // namespace pe
