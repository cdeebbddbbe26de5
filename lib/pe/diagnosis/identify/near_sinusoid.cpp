// Tables of sinusoids by a rule that nobody would write down as theirs: exponents that count
// channels, as a well-known tutorial has them, a sign, a side twice.
#include <algorithm>
#include <array>
#include <string>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/guess.hpp"

namespace pe {
namespace {

// What makes a table of another formula, and not of another length or file.
bool is_of_a_formula(const Reason& reason) {
  constexpr std::array causes{Cause::exponent_shifted,   Cause::wrong_denominator,
                              Cause::direction_reversed, Cause::side_copied,
                              Cause::position_doubled,   Cause::position_offset};
  return std::ranges::find(causes, reason.cause) != causes.end();
}

}  // namespace

std::optional<Identification> identify_near_sinusoid(const Dump& dump) {
  if (dump.arrays.size() != 1 || !dump.before.empty() || dump.arrays[0].is_complex) return {};
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  if (shape.size() != 2 || shape[0] < 8 || shape[1] < 8 || shape[1] % 2 != 0) return {};
  for (const char* layout : {"interleaved", "halves"}) {
    const Candidate candidate{&find_encoding("sinusoidal"),
                              identified({{"dim", std::to_string(shape[1])}, {"layout", layout}})};
    try {
      const auto guess = held(candidate, dump, shape[0], "");
      if (!guess) continue;
      Diagnosis near = diagnose(guess->expected, guess->dump);
      if (near.reasons.empty() || near.reasons.size() > 2 ||
          !std::ranges::all_of(near.reasons, is_of_a_formula))
        continue;
      Identification found = told(*guess, dump, std::move(near));
      found.family = "table of sinusoids";
      return found;
    } catch (const UsageError&) {
    }
  }
  return {};
}

}  // namespace pe
