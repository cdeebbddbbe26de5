// What comparing the arrays of two files came to, as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "pe/verify/compare.hpp"

namespace pe {

/// All that was compared, and what had nothing to be compared with.
struct ComparisonReport {
  std::vector<Comparison> pairs;
  std::vector<std::string> only_a, only_b;  // arrays without a partner of their name
  Allowed allowed = {};

  bool equal() const;
};

/// One object; NaN and infinities as strings.
std::string to_json(const ComparisonReport& compared, const std::string& command);

}  // namespace pe
