// Pair formulas: what kernels compute of a pair, the turn and what is mistaken for it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace pe {

/// The two numbers of a pair.
using PairNumbers = std::array<double, 2>;

/// Cosines and sines of a row, by pair.
struct AngleRow {
  const double *cosine, *sine;
  std::size_t pairs;
};

/// y of x = (a, b), the numbers of pair j; `y` as it came out, where one of its numbers is made
/// from the other. Linear in each cosine and sine.
struct PairFormula {
  const char* sentence;
  PairNumbers (*of)(const AngleRow& at, std::size_t j, double a, double b, const PairNumbers& y);
};

/// (a·cos − b·sin, b·cos + a·sin).
const PairFormula& plain_turn();
std::span<const PairFormula> pair_formulas();

}  // namespace pe
