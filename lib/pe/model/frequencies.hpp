// Ladders of frequencies: the one place where θ_j is made.
#pragma once

#include <string>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"

namespace pe {

/// How a ladder came about, in the terms that every codebase steps through.
enum class LadderRule {
  plain,    // base alone
  divided,  // every frequency by factor
  ramped,  // pair j: a share (j − low)/(high − low), clamped to 0 … 1, of it by factor (yarn)
  banded,  // by turns within the original length: above high kept, below low by factor, a blend
           // between (llama3)
  listed,  // pair j by divisors[j] (longrope)
  live,    // the first `count` pairs by factor, the others stand still (proportional)
  given,   // no codebase steps through it: the frequencies themselves
};

/// What was done to a ladder: dialects redo it in their own arithmetic. Number: Real, or double for
/// what is only held against a measurement.
template <typename Number>
struct BasicRecipe {
  using Rule = LadderRule;
  Rule rule = Rule::plain;
  Number base = 10000;  // after any change of base
  Index dim = 0;        // its exponents are −2j/dim
  Number factor = 1, low = 0, high = 0, original = 0;
  Number fast = 0, slow = 0;  // turns that a ramp's ends were found from, at `original`
  bool whole = true;          // and whether they were rounded outward to whole pairs
  Index count = 0;
  std::vector<Number> divisors = {};
};
using Recipe = BasicRecipe<Real>;

/// What a scaling bends: the plain ladder's base and dim, its frequencies θ_j in radians per
/// position, and the attention factor that multiplies cos and sin.
template <typename Number>
struct BasicLadder {
  Number base;
  Index dim = 0;
  std::vector<Number> frequencies = {};
  Number magnitude = 1;
  BasicRecipe<Number> recipe = {};          // how the frequencies came about
  std::vector<std::string> decisions = {};  // how a scaling came to this, one sentence each
};
using Ladder = BasicLadder<Real>;

/// θ_j = base^(−2j/dim) for j = 0 … pairs−1 (Vaswani et al. 2017, §3.5; Su et al. 2021, eq. 15),
/// for Real and double.
template <typename Number>
BasicLadder<Number> geometric_ladder(const Number& base, Index dim, Index pairs);

/// θ_j = (longest/shortest)^(−j/(pairs−1)) / shortest: timescales from shortest to longest, both
/// reached (tensor2tensor get_timing_signal_1d, fairseq). One pair has the timescale `shortest`.
std::vector<Real> endpoint_ladder(const Real& shortest, const Real& longest, Index pairs);

/// 2π/θ, in positions; infinite for a frequency of zero.
Real wavelength(const Real& frequency);

}  // namespace pe
