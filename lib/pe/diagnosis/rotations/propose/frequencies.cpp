// Causes of the ladder: denominator and exponent of θ_j = base^(−2j/d).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <tuple>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/base.hpp"
#include "pe/diagnosis/rotations/propose/fitted.hpp"
#include "pe/diagnosis/rotations/propose/other_shapes.hpp"

namespace pe {
namespace {

// The hypothesis with frequencies of another ladder, bent by the same ratios. Beside another base
// this would be no ladder's.
RotationHypothesis bent(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis,
                        const std::function<double(std::size_t j)>& plain) {
  RotationHypothesis other = hypothesis;
  const std::vector<double>& unscaled = observation.truth().unscaled;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j) {
    const double ratio =
        j < unscaled.size() && unscaled[j] > 0 ? hypothesis.frequencies[j] / unscaled[j] : 1;
    other.frequencies[j] = plain(j) * ratio;
  }
  return other;
}

// The same, and where the rule that is meant asks each frequency for its wavelength, what it makes
// of the other ladder.
void add_ladder(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                const std::function<double(std::size_t j)>& plain, const std::string& sentence,
                double cost, RotationProposals& all) {
  all.push_back({bent(observation, hypothesis, plain), sentence, cost});
  const std::string rule = word_of(observation, hypothesis, "scaling");
  if (rule.empty() || rule == "none") return;
  auto ladder =
      measured_ladder(observation, hypothesis, number_of(observation, hypothesis, "base"));
  if (!ladder) return;
  for (std::size_t j = 0; j < ladder->plain.frequencies.size(); ++j)
    ladder->plain.frequencies[j] = plain(j);
  const auto scaled = sketched(find_scaling(rule), *ladder, ladder->context);
  if (!scaled || scaled->frequencies.size() != hypothesis.frequencies.size()) return;
  all.push_back({hypothesis, sentence, cost + 0.01});
  all.back().hypothesis.frequencies = scaled->frequencies;
}

RotationProposals exponent(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  const std::vector<double>& unscaled = observation.truth().unscaled;
  RotationProposals all;
  if (unscaled.size() < 2 || unscaled[1] <= 0) return all;
  for (const int shift : {1, 2, -1, -2}) {
    const double factor = std::pow(unscaled[1], 0.5 * shift);
    // A step of the ladder may be a ratio of whole numbers to 16 bits: 10000^(1/32) is 4/3. A
    // factor of one digit goes before.
    add_ladder(
        observation, hypothesis, [&](std::size_t j) { return unscaled[j] * factor; },
        fmt::format("exponents are 2j{:+} over d, where 2j is meant", shift), 1.015, all);
  }
  return all;
}

RotationProposals denominator(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  const std::vector<double>& unscaled = observation.truth().unscaled;
  RotationProposals all;
  const auto n = static_cast<double>(observation.pairs()),
             dim = static_cast<double>(observation.truth().dim);
  if (observation.pairs() < 2 || unscaled.size() < observation.pairs() ||
      observation.expected().encoding->kind != Kind::rotation)
    return all;
  std::set<double> tried{1.0, 0.0};
  const auto propose = [&](double ratio,
                           const std::string& what) {  // ratio: d over the denominator
    if (!std::isfinite(ratio) || !tried.insert(ratio).second) return;
    add_ladder(
        observation, hypothesis, [&](std::size_t j) { return std::pow(unscaled[j], ratio); },
        fmt::format("exponents are 2j over {}, where {:g} is meant", what, 2 * n), 1.04, all);
  };
  propose(2 * n / dim, fmt::format("{:g}, the whole head", dim));
  if (const double whole = number_of(observation, hypothesis, "dim"); whole > 0)
    propose(2 * n / whole, fmt::format("{:g}, the whole head", whole));
  if (const double part = number_of(observation, hypothesis, "partial-rotary-factor"); part > 0)
    propose(1 / part, fmt::format("{:g}, the part that turns", 2 * n * part));
  propose(dim / (2 * n), fmt::format("{:g}", 4 * n * n / dim));
  propose(n / (n - 1), fmt::format("{:g} (pairs less one)", 2 * n - 2));
  propose(2, fmt::format("{:g}, the number of pairs", n));
  propose(0.5, fmt::format("{:g}, twice the channels", 4 * n));
  propose(2 * n, "1: they are not divided");
  return all;
}

// Sinusoids: timescales from both ends included (pairs − 1 in the denominator), or the last left
// out.
RotationProposals ladder(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  RotationProposals all;
  if (observation.expected().encoding->kind != Kind::table) return all;
  for (const char* name : {"endpoint", "paper", "endpoint-times-min"}) {
    const std::string now = word_of(observation, hypothesis, "ladder");
    if (now.empty() || now == name) continue;
    if (auto other = remade(observation, hypothesis, {{"ladder", std::string(name)}}))
      all.push_back(
          {*other,
           fmt::format(
               "the ladder of frequencies is '{}', where {} is meant: the denominator is another",
               name, meant(observation, "ladder"))});
  }
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const auto n = static_cast<double>(observation.pairs());
  if (observation.pairs() < 3) return all;
  constexpr std::optional<Cause> ladder{}, denominator = Cause::wrong_denominator;
  for (const auto& [ratio, what, cause] : {std::tuple{n / (n - 1), "pairs less one", ladder},
                                           {(n - 1) / n, "pairs, both ends not reached", ladder},
                                           {2.0, "half the channels", denominator},
                                           {0.5, "twice the channels", denominator},
                                           {2 * n, "1, they are not divided", denominator}})
    all.push_back({bent(observation, hypothesis,
                        [&, ratio = ratio](std::size_t j) { return std::pow(unscaled[j], ratio); }),
                   fmt::format("the denominator of the exponents is another: {}", what),
                   ratio < 1 && !cause ? 1.07 : 1.05,  // of four pairs, a base of one digit is that
                   cause});
  return all;
}

RotationProposals inverted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  const std::vector<double>& unscaled = observation.truth().unscaled;
  RotationHypothesis plain = hypothesis;
  if (std::ranges::any_of(plain.frequencies, [](double f) { return f < 0; })) return {};
  for (double& f : plain.frequencies) f = f > 0 ? 1 / f : 0;
  return {
      {plain,
       "frequencies are inverted: periods stand in their place, and pairs turn faster and faster"},
      {bent(observation, hypothesis,
            [&](std::size_t j) { return unscaled[j] > 0 ? 1 / unscaled[j] : 0; }),
       "frequencies are base^(+2j/d): the power was inverted twice, and faster pairs follow slower "
       "ones"}};
}

RotationProposals reversed(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (hypothesis.frequencies.size() < 2 || !hypothesis.axis.empty()) return {};
  RotationHypothesis other = hypothesis;
  std::ranges::reverse(other.frequencies);
  other.angle_ulps = observation.truth().growth;
  other.angle_ulps.resize(other.frequencies.size(), 16);
  std::ranges::reverse(other.angle_ulps);
  return {{other, "pairs stand from the last frequency to the first"}};
}

RotationProposals equal(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  RotationProposals all;
  RotationHypothesis ones = hypothesis;
  std::ranges::fill(ones.frequencies, 1.0);
  all.push_back({ones,
                 "every pair turns by one radian a position: the exponent was rounded to 0, as a "
                 "division of integers does"});
  // The frequency of some pair that is meant, wherever it comes from.
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.measured_errors(hypothesis);
  const auto [low, high] = std::ranges::minmax(measured);
  if (low > 0 && high < 1.02 * low) {
    const auto near = std::ranges::find_if(hypothesis.frequencies, [&](double f) {
      return f != 1 && std::fabs(measured[0] - f) <= errors[0] + 1e-6 * f;
    });
    const bool is_known = near != hypothesis.frequencies.end();
    RotationHypothesis alike = hypothesis;
    if (is_known) {
      std::ranges::fill(alike.frequencies, *near);
      all.push_back({alike,
                     fmt::format("every pair turns with the frequency of pair {}",
                                 near - hypothesis.frequencies.begin()),
                     1});
    }
    // As it was measured, and the number of few digits that is as good in a short type.
    for (const double one : {tidiest(measured[0], 2 * observation.grain()).value, measured[0]}) {
      if (is_known) break;
      std::ranges::fill(alike.frequencies, one);
      all.push_back(
          {alike,
           fmt::format("every pair turns by {:.6g} radians a position, which none is meant to",
                       one),
           one == measured[0] ? 1.3 : 1.2});
    }
  }
  all.push_back({bent(observation, hypothesis, [](std::size_t) { return 1.0; }),
                 "every pair turns by one radian a position: the exponent was rounded to 0, as a "
                 "division of integers does"});
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const double n = static_cast<double>(observation.pairs());
  all.push_back(
      {bent(observation, hypothesis,
            [&](std::size_t j) { return 2 * static_cast<double>(j) >= n ? unscaled[0] : 1.0; }),
       "exponents are whole numbers", 1.3});
  return all;
}

// Whether numbers fall, or rise, from the first to the last, and all have the size that frequencies
// or what is made of them may have.
bool is_ladder(const std::vector<double>& numbers) {
  const auto [low, high] = std::ranges::minmax(numbers);
  return low > 1e-12 && high < 1e12 &&
         (std::ranges::is_sorted(numbers, std::greater<>()) || std::ranges::is_sorted(numbers));
}

RotationProposals uninitialised(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  if (observation.has_rows()) return {};
  Proposal<RotationHypothesis> one{hypothesis, ""};
  one.hypothesis.free_pairs.assign(observation.pairs(), 0);
  // Of what is meant as much as of the hypothesis: an inverted ladder makes frequencies wild.
  const auto& meant = observation.truth().frequencies;
  const double highest =
                   std::max(std::ranges::max(hypothesis.frequencies), std::ranges::max(meant)),
               lowest = std::min(std::ranges::min(hypothesis.frequencies), std::ranges::min(meant));
  std::size_t odd = 0, wild = 0, first = observation.pairs();
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    const double f = observation.measured()[j];
    if (std::fabs(f - hypothesis.frequencies[j]) <= 0.02 * hypothesis.frequencies[j]) continue;
    wild += !(f <= highest * 1e3) || !(f >= lowest * 1e-3);
    one.hypothesis.free_pairs[j] = 1;
    ++odd;
    first = std::min(first, j);
  }
  if (3 * wild < odd || wild == 0)
    return {};  // other formulas err by less than a thousand times, in most of their pairs
  if (odd == observation.pairs() && is_ladder(observation.measured())) return {};
  one.sentence = fmt::format(
      "{} of {} frequencies are no frequencies, the first of them pair {}: {:.4g}; memory that was "
      "never written looks so",
      odd, observation.pairs(), first, observation.measured()[first]);
  one.cost = 2.9;  // frequencies that are excused are not explained: any two causes go before
  return {one};
}

constexpr RotationProposer rows[] = {
    {Cause::wrong_base, "base", other_base, may_be_by_angles},
    {Cause::wrong_base, "base scaling", base_under_divisors, may_be_by_angles},
    {Cause::wrong_parameter, "base", other_timescales, may_be_by_angles},
    {Cause::wrong_rotary_width, "ladder", narrower, may_be_by_angles},
    {Cause::wrong_ladder, "ladder", equal_steps, may_be_by_angles},
    {Cause::wrong_ladder, "ladder", ladders_of_axes, may_be_by_angles},
    {Cause::wrong_denominator, "ladder", denominator, may_be_by_angles},
    {Cause::wrong_ladder, "ladder", ladder, may_be_by_angles},
    {Cause::exponent_shifted, "ladder", exponent, may_be_by_angles},
    {Cause::frequencies_inverted, "ladder", inverted, may_be_by_angles},
    {Cause::frequencies_reversed, "order of pairs", reversed, may_be_by_angles},
    {Cause::frequencies_equal, "ladder", equal, may_be_by_angles},
    {Cause::uninitialised, "rows", uninitialised},
};

}  // namespace

std::span<const RotationProposer> ladder_causes() { return rows; }

}  // namespace pe
