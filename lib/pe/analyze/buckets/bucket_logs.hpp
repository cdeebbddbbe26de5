// How codebases decide buckets by logarithms: the order and the type of their steps.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pe/base/dtype.hpp"

namespace pe {

/// Buckets that grow logarithmically, one way: distance n ≥ exact is `place` = ln(n/exact) /
/// ln(farthest/exact) · steps buckets beyond `exact`, rounded down or up, and at most `last`.
struct LogScale {
  std::int64_t exact = 0, farthest = 0;
  Index steps = 0, last = 0;
  bool up = false;
};

/// A codebase's way, with logarithms that are correctly rounded.
struct LogWay {
  std::string_view name;
  std::string_view source;      // who has it, or none: it is a common repair
  bool rounds_up, rounds_down;  // scales that it is used on
  bool added = false;           // `exact` is added before the rounding
  double (*place)(const LogScale&, std::int64_t distance);
};

std::span<const LogWay> all_log_ways();

/// The bucket of a distance, one way.
Index bucket_of(const LogWay& way, const LogScale& scale, std::int64_t distance);

/// How far the exact place lies beyond the nearest whole number, within 2^-40; 0: it is one.
double place_beyond_whole(const LogScale& scale, std::int64_t distance);

}  // namespace pe
