// Turns that are steady, and go by no ladder.
#pragma once

#include <optional>
#include <string>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Every pair turns steadily from row to row, some by frequencies of their own.
struct OwnFrequencies {
  std::string sentence;
  bool is_noise;  // nearly all, and they stand in no order: no rule gives such
  double worst;   // distance from the table that these frequencies make
};

/// Of a dump of turns that nothing explains. Held against every row; nothing where a pair turns
/// unsteadily.
std::optional<OwnFrequencies> own_frequencies(const Expectation& expected, const Dump& dump);

}  // namespace pe
