// Tables of sinusoids by a rule that nobody would write down as theirs: exponents that count
// channels, as a well-known tutorial has them, a sign, a side twice; and rows of an odd width.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/bases.hpp"
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

// Whether numbers may be cosines and sines, in whatever type they were stored: none beyond 1, and
// one of them near it, as the first rows of the fastest wave come. Asked of a few rows, before
// causes are looked for that numbers of another size cannot have.
bool may_be_waves(const Stored& array, Index rows) {
  constexpr Index some = 8;
  constexpr double most = 1 + 0x1p-6, near = 0.5;
  const Index width = array.size() / rows;
  std::vector<double> values(static_cast<std::size_t>(width));
  double largest = 0;
  const auto hold_waves = [&](Index row) {
    array.read(row * width, width, values.data());
    for (const double value : values) largest = std::max(largest, std::fabs(value));
    return std::ranges::all_of(values, [](double value) { return std::fabs(value) <= most; });
  };
  for (Index i = 0; i < some; ++i)
    if (!hold_waves(i) || !hold_waves(i * (rows - 1) / (some - 1))) return false;
  return largest >= near;
}

// The last channel's place, at each that a program may have left it, over the bases in use.
std::vector<Candidate> odd_candidates(Index dim) {
  std::vector<Candidate> all;
  for (const Base& base : bases_in_use())
    for (const char* layout :
         {"interleaved", "halves", "interleaved-cos-first", "halves-cos-first"})
      for (const char* ladder : {"paper", "endpoint"})
        for (const char* odd : {"zero-column", "drop-last", "pad-and-cut"})
          all.push_back({.encoding = &find_encoding("sinusoidal"),
                         .given = identified({{"dim", std::to_string(dim)},
                                              {"base", fmt::format("{:.0f}", base.value)},
                                              {"layout", layout},
                                              {"ladder", ladder},
                                              {"odd", odd}}),
                         .cost = base.cost,
                         .model = {}});
  return all;
}

}  // namespace

std::optional<Identification> identify_odd_sinusoid(const Dump& dump) {
  if (dump.arrays.size() != 1 || !dump.before.empty() || dump.arrays[0].is_complex) return {};
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  if (shape.size() != 2 || shape[0] < 8 || shape[1] < 5 || shape[1] % 2 == 0) return {};
  std::vector<Guess> agreeing;
  for (const Candidate& candidate : odd_candidates(shape[1]))
    if (auto guess = held(candidate, dump, shape[0], ""); guess && guess->agrees())
      agreeing.push_back(std::move(*guess));
  auto found = told(std::move(agreeing), dump);
  if (found) found->family = "table of sinusoids";
  return found;
}

std::optional<Identification> identify_near_sinusoid(const Dump& dump) {
  if (dump.arrays.size() != 1 || !dump.before.empty() || dump.arrays[0].is_complex) return {};
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  if (shape.size() != 2 || shape[0] < 8 || shape[1] < 8 || shape[1] % 2 != 0) return {};
  if (!may_be_waves(dump.arrays[0], shape[0])) return {};
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
