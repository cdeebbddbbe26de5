// Tokens that stand nowhere: class tokens, registers.
#pragma once

#include "pe/base/dtype.hpp"

namespace pe {

/// How many tokens without a position stand before those that have one, and how many behind them.
struct Tokens {
  Index before = 0, behind = 0;

  Index count() const { return before + behind; }
};

}  // namespace pe
