// An encoding of which one parameter is not what is meant, where no cause knows what that does.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// The encoding meant with one parameter otherwise.
struct OtherSetting {
  Expectation::Remade made;
  std::string sentence;    // "solver recursion, where rk4 (default) is meant"
  bool is_switch = false;  // a flag, or one of some words
};

/// Every other choice of every parameter, the other word of every flag, and for every number those
/// that it is mistaken for: half, double, ten times, a tenth, one more, one less, usual bases; ones
/// for lists.
/// Nothing of what the encoding refuses.
std::vector<OtherSetting> other_settings(const Expectation& expected);

}  // namespace pe
