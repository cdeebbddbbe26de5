// Observed: an effect that is a dump, so that laws are measured on it as on any other.
#pragma once

#include <string>
#include <string_view>

#include "pe/diagnosis/diagnosis.hpp"
#include "pe/properties/property.hpp"

namespace pe {

struct Observed {
  Case subject;  // the effect reads the dump when it is asked for values; the positions are those
                 // the dump has
  std::string what;       // what was recognised, as a diagnosis says it
  std::string_view only;  // the one law that such a dump can tell anything about; "": any;
                          // "none": no law
  std::string why;        // and why
};

/// Reads the arrays as the expected encoding: rows, turns, biases or buckets. What is expected
/// decides the layout, the attention factor and the bucket count, and nothing else: a table of
/// another base obeys the same laws. Throws UsageError where no layout suits.
Observed observe(const Expectation& expected, const Dump& dump);

/// One law of it, skipped where the dump cannot tell.
Measurement measure(const Property& property, const Observed& observed);

namespace observe_parts {

Observed observe_turns(const Expectation& expected, const Dump& dump);
Observed observe_bias(const Expectation& expected, const Dump& dump);
Observed observe_buckets(const Expectation& expected, const Stored& array);

/// Throws UsageError naming the positions that a dump has.
void check_has(const PositionRange& has, const PositionRange& positions, const Stored& array);

/// Runs of positions that follow each other: visit(first row, count, index of the first).
template <typename Visit>
void for_runs(const PositionRange& has, const PositionRange& positions, Visit visit) {
  if (positions.step == 1) return visit(positions.first - has.first, positions.count, Index{0});
  for (Index i = 0; i < positions.count; ++i) visit(positions.at(i) - has.first, Index{1}, i);
}

}  // namespace observe_parts
}  // namespace pe
