// Ladders of which each pair is divided by a number of its own, as longrope's lists do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/fitted.hpp"

namespace pe {
namespace {

// Whether the pairs from some one on, and not those before it, stand over another base, whose
// divisors are powers of j: columns of two tables.
bool is_of_two_tables(const MeasuredLadder& measured) {
  const double all = measured.divisor(0);
  std::size_t first = 1;
  const auto differs = [&](std::size_t j) {
    return std::fabs(measured.divisor(j) / all - 1) > 2 * measured.relative_error(j) + 1e-6;
  };
  while (first < measured.pairs() && !differs(first)) ++first;
  if (first < 2 || first + 3 > measured.pairs()) return false;
  const std::size_t last = measured.pairs() - 1;
  const double rate = std::log(measured.divisor(first) / all) / static_cast<double>(first),
               loose = measured.relative_error(first) / static_cast<double>(first);
  for (std::size_t j = first; j <= last; ++j) {
    const auto place = static_cast<double>(j);
    if (std::fabs(std::log(measured.divisor(j) / all) - rate * place) >
        2 * (measured.relative_error(j) + loose * place) + 1e-6)
      return false;
  }
  return true;
}

}  // namespace

// A list has a number for every pair, and so fits any ladder. It explains what it could not help
// fitting only where divisors grow with the pair, as those that are made for longer contexts do.
RotationProposals own_divisors(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Scaling* scaling = meant_scaling(observation);
  const auto measured = measured_ladder(observation, hypothesis, meant_base(observation));
  if (!measured) return all;
  double highest = std::max(0.9, measured->divisor(0));
  std::size_t grown = 0;  // a list grows along most of its length; damage of some columns does not
  for (std::size_t j = 0; j < measured->pairs(); ++j) {
    if (!measured->knows(j) || !(measured->divisor(j) > 0.98 * highest)) return all;
    grown += measured->divisor(j) > 1.003 * highest;
    highest = std::max(highest, measured->divisor(j));
    if (highest > 4096) return all;  // no context is stretched so far
  }
  if (is_of_two_tables(*measured)) return all;
  const Scaling& longrope = find_scaling("longrope");
  const bool is_meant = scaling == &longrope;
  for (const ScalingFit& fit : longrope.fit.function(*measured)) {
    const auto ladder = sketched(longrope, *measured, fit.settings);
    if (!ladder || 4 * grown < measured->pairs()) continue;
    add_ladder(observation, hypothesis, *measured, *ladder, {{"scaling", "longrope"}},
               fmt::format("each pair is divided by a number of its own, {:.4g} … {:.4g}, as "
                           "longrope's lists do, where {} is meant",
                           measured->divisor(0), highest,
                           is_meant ? "another list" : words_of_meant(observation)),
               2.7, all);
    // A number that was read off the dump is known no better than its cells show it.
    for (auto& one : all) {
      one.cause = is_meant ? Cause::wrong_parameter : Cause::wrong_scaling;
      for (std::size_t j = 0; j < one.hypothesis.angle_ulps.size(); ++j)
        one.hypothesis.angle_ulps[j] += measured->relative_error(j) / 0x1p-24;
    }
  }
  return all;
}

}  // namespace pe
