// A dump that no fault explains, asked what it is instead.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/identify/identify.hpp"
#include "pe/diagnosis/identify/rotations.hpp"

namespace pe {
namespace {

// Whether every parameter that tells the table is as it is meant.
bool is_meant(const Expectation& expected, const Identification& found) {
  const auto& meant = expected.parameters.entries();
  return found.encoding == expected.encoding &&
         std::ranges::all_of(found.parameters, [&](const Parameters::Entry& one) {
           return std::ranges::any_of(meant, [&](const Parameters::Entry& other) {
             return other.name == one.name && other.text == one.text;
           });
         });
}

}  // namespace

std::optional<Reason> other_table(const Expectation& expected, const Dump& dump) try {
  if (!rotation_truth(expected.effect)) return {};
  const auto found = identify_turns(dump, expected.layout, Admit::whole_tables);
  if (!found || !found->encoding || found->diagnosis.tier == Tier::wrong ||
      is_meant(expected, *found))
    return {};
  const std::string from =
      found->first == expected.first ? "" : fmt::format(" from position {} on", found->first);
  return Reason{Cause::other_table, fmt::format("this is {}{}, where {} is meant", found->summary,
                                                from, expected.encoding->name)};
} catch (const UsageError&) {  // the arrays cannot be read as turns of anything
  return {};
}

}  // namespace pe
