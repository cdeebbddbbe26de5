// Arrays as those who wrote them meant them: their type, and the rows that are no positions.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

struct Written {
  Dump dump;
  Index tokens = 0;  // rows before the first position's that were left out
};

/// The arrays in the type that their numbers were written from: doubles that print float32 numbers,
/// 16-bit integers that are the bits of turns. Of a grid, without the rows before its first that
/// class tokens and registers have: zeros in a table, vectors that were not turned.
Written as_written(const Expectation& expected, const Dump& dump);

/// "1 row of no position stands before the grid's, as a class token's".
std::string spell_tokens(Index tokens);

}  // namespace pe
