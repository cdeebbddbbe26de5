// Columns that no pair has: what a program leaves where a row's width is odd.
#include "pe/diagnosis/rotations/lone.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {
namespace {

bool holds(const Expectation& expected, const Dump& dump) try {
  return held_as_meant(expected, dump, {}).has_value();
} catch (const UsageError&) {  // no reading suits: the field of a cut pair, too
  return false;
}

}  // namespace

std::optional<Reason> cut_otherwise(const Expectation& expected, const Dump& dump) {
  if (!expected.remake || !expected.parameters.has("odd")) return {};
  for (const Parameter& row : expected.encoding->parameters) {
    if (row.name != std::string_view("odd")) continue;
    for (const std::string& odd : words(row.choices)) {
      auto made = expected.remake({{"odd", odd}});
      if (!made || odd == expected.parameters.choice("odd")) continue;
      Expectation other = expected;
      other.parameters = std::move(made->parameters);
      other.effect = std::move(made->effect);
      other.remake = nullptr;
      if (holds(other, dump))
        return Reason{Cause::wrong_parameter, fmt::format("odd {}, where {} ({}) is meant", odd,
                                                          expected.parameters.choice("odd"),
                                                          expected.parameters.origin("odd"))};
    }
  }
  return {};
}

}  // namespace pe
