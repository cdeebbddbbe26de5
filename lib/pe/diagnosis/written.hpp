// Arrays as those who wrote them meant them: their type, and the rows that are no positions.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

struct Written {
  Expectation expected;  // of the rows that are left
  Dump dump;
  Tokens tokens = {};                 // whose rows were left out
  std::string note = {};              // "1 row of no position stands before the grid's, …"
  std::optional<Reason> reason = {};  // those rows hold what they should not
};

/// The arrays in the type that their numbers were written from: doubles that print float32 numbers,
/// 16-bit integers that are the bits of turns. Without the rows beside positions that class tokens
/// and registers have, as the effect says, and of a grid where they are seen: zeros in a table, no
/// turn, vectors that were not turned.
Written as_written(const Expectation& expected, Dump dump);

}  // namespace pe
