// Numbers on a coarse grid, diagnosed with the room that it leaves.
#include "pe/diagnosis/coarse_numbers.hpp"

#include <fmt/format.h>

#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

bool is_unexplained(const Diagnosis& told) {
  return told.tier == Tier::wrong && told.reasons.empty();
}

// Numbers that a mask adds are on no grid that the others share.
bool is_of_a_mask(double value) { return value <= -1e4; }

}  // namespace

Diagnosis with_coarse_numbers(Diagnosis told, const Expectation& expected, const Dump& dump,
                              const Reason& reason,
                              const std::function<Diagnosis(const Dump&)>& diagnose) {
  if (!is_unexplained(told) || !expected.searches || dump.coarse) return told;
  auto coarse = coarse_of(dump.arrays[0], is_of_a_mask);
  if (!coarse) return told;
  const std::string sentence =
      fmt::format("every number of these {} {} {}: they were rounded",
                  name_of(dump.arrays[0].dtype), reason.sentence, coarse->words());
  Dump rounded = dump;
  rounded.coarse = std::make_shared<const Coarse>(std::move(*coarse));
  Diagnosis other = diagnose(rounded);
  if (is_unexplained(other)) {
    told.notes.push_back(sentence);
    return told;
  }
  if (other.tier != Tier::wrong) {
    other.tier = Tier::storage;
    if (!dump.before.empty()) other.arithmetic = "turns within what that rounding allows";
  }
  other.reasons.insert(other.reasons.begin(), {reason.cause, sentence});
  return other;
}

}  // namespace pe
