// Numbers on a coarse grid, diagnosed with the room that it leaves, and those of a shorter type.
#include "pe/diagnosis/coarse_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
                              const Reason& reason, const DumpJudge& diagnose) {
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

Diagnosis with_numbers_of_f32(Diagnosis told, const Dump& dump, Cause cause,
                              const DumpJudge& diagnose) {
  constexpr Index few = 64;  // that an arithmetic of f32 may have rounded correctly by chance
  const auto is_wide = [](const Stored& array) {
    return array.dtype == DType::f64 && !array.u16 && type_of_numbers(array) == DType::f32;
  };
  if (told.tier != Tier::drift || !dump.before.empty() ||
      !std::ranges::all_of(dump.arrays, is_wide))
    return told;
  Dump short_ones = dump;
  for (Stored& array : short_ones.arrays) array = narrowed(array, DType::f32);
  Diagnosis other = diagnose(short_ones);
  if (other.tier > Tier::drift) return told;
  const std::string sentence = "every value of this f64 file is a number of f32";
  if (other.tier == Tier::exact && told.rounded_otherwise >= few) {
    told.tier = Tier::storage;
    told.arithmetic.clear();
    told.reasons = {{cause, sentence + ": the values were rounded before they were written"}};
    return told;
  }
  told.arithmetic =
      other.tier == Tier::exact ? "correctly rounded to f32" : std::move(other.arithmetic);
  told.notes.push_back(sentence);
  return told;
}

}  // namespace pe
