// Causes of scaling: a rule that is missing, doubled, turned round; those that are fitted stand in
// fitted.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "pe/base/median.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/alternatives.hpp"
#include "pe/diagnosis/rotations/propose/fitted.hpp"

namespace pe {
namespace {

RotationProposals missing(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (is_scaled(observation, hypothesis))
    add_both(observation, hypothesis, {{"scaling", "none"}},
             fmt::format("frequencies are those without scaling {}", meant(observation, "scaling")),
             1, all);
  // A rule that keeps the whole head's ladder and turns a part of it: without it all of it turns.
  if (is_scaled(observation, hypothesis) &&
      find_scaling(word_of(observation, hypothesis, "scaling")).whole_head)
    add_both(observation, hypothesis, {{"scaling", "none"}, {"partial-rotary-factor", 1.0}},
             fmt::format("frequencies are those without scaling {}, of every pair of the head",
                         meant(observation, "scaling")),
             1, all);
  return all;
}

// What the scaling that is meant multiplies each pair's frequency by, taken otherwise; whatever
// ladder it stands on.
RotationProposals with_ratio(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis, double (*change)(double ratio),
                             std::string sentence) {
  const std::vector<double>&unscaled = observation.truth().unscaled,
        &scaled = observation.truth().frequencies;
  if (!is_scaled(observation, hypothesis) || unscaled.size() < hypothesis.frequencies.size() ||
      scaled.size() < hypothesis.frequencies.size())
    return {};
  RotationHypothesis other = hypothesis;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j)
    if (const double ratio = scaled[j] / unscaled[j]; std::isfinite(ratio) && ratio != 0)
      other.frequencies[j] *= change(ratio) / ratio;
  if (other.frequencies == hypothesis.frequencies) return {};
  return {{other, std::move(sentence)}};
}

RotationProposals inverted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (const double s = number_of(observation, hypothesis, "factor");
      is_scaled(observation, hypothesis) && s > 0)
    add_both(observation, hypothesis, {{"factor", 1 / s}},
             fmt::format("factor 1/{}, where {} is meant: frequencies are multiplied where the "
                         "scaling divides them",
                         spell_number(s), meant(observation, "factor")),
             1, all);
  for (auto& one : with_ratio(
           observation, hypothesis, [](double r) { return 1 / r; },
           "frequencies are multiplied where the scaling divides them"))
    all.push_back(one);
  return all;
}

RotationProposals twice(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  RotationProposals all = with_ratio(
      observation, hypothesis, [](double r) { return r * r; }, "the scaling was applied twice");
  // llama3 asks each frequency for its turns within the original length, and the second time the
  // scaled ones.
  if (word_of(observation, hypothesis, "scaling") != "llama3") return all;
  const auto number = [&](const char* name) { return number_of(observation, hypothesis, name); };
  const double s = number("factor"), low = number("low-freq-factor"),
               high = number("high-freq-factor"), original = number("original-max-position");
  RotationHypothesis other = hypothesis;
  for (double& f : other.frequencies) {
    const double share =
        std::clamp((original * f / (2 * std::numbers::pi) - low) / (high - low), 0.0, 1.0);
    f *= share + (1 - share) / s;
  }
  all.push_back({other, "the scaling was applied twice, the second time to scaled frequencies"});
  return all;
}

RotationProposals on_some_rows(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!is_scaled(observation, hypothesis) || !observation.has_rows() ||
      hypothesis.frequencies != observation.truth().frequencies)
    return all;
  const auto plain = remade(observation, hypothesis, {{"scaling", "none"}});
  if (!plain) return all;
  // With the amplitude of their own rule, or that of the others.
  RotationHypothesis bare = *plain;
  bare.cosine_magnitude = hypothesis.cosine_magnitude;
  bare.sine_magnitude = hypothesis.sine_magnitude;
  RotationHypothesis flat = hypothesis;
  flat.cosine_magnitude = plain->cosine_magnitude;
  flat.sine_magnitude = plain->sine_magnitude;
  const bool is_flat = plain->cosine_magnitude == hypothesis.cosine_magnitude;
  struct Order {
    const RotationHypothesis &first, &then;
    bool scaled_first;
  };
  const Order orders[] = {{*plain, hypothesis, false}, {hypothesis, *plain, true},
                          {bare, hypothesis, false},   {hypothesis, bare, true},
                          {*plain, flat, false},       {flat, *plain, true}};
  for (const auto& [first, then, scaled_first] : std::span(orders).first(is_flat ? 2 : 6)) {
    const Index boundary = first_slot_unlike(observation, first);
    if (boundary <= 1) continue;
    // Where both say the same of the rows before, nothing shows that they are of the first.
    if (const Index other = first_slot_unlike(observation, then); other < 0 || other >= boundary)
      continue;
    all.push_back(
        {changed_from(observation, first, boundary, then),
         fmt::format("rows before {} are {}, rows from it on are {}", boundary,
                     scaled_first ? "scaled" : "not scaled", scaled_first ? "not" : "scaled")});
  }
  return all;
}

// The attention factor up to a row, or from it on, as two tables of one cache have it.
RotationProposals factor_on_some_rows(const RotationObservation& observation,
                                      const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const double factor = hypothesis.cosine_magnitude;
  if (!observation.has_amplitude() || factor == 1 || factor != hypothesis.sine_magnitude ||
      hypothesis.split)
    return all;
  RotationHypothesis flat = hypothesis;
  flat.cosine_magnitude = flat.sine_magnitude = 1;
  for (const bool factor_first : {true, false}) {
    const RotationHypothesis &first = factor_first ? hypothesis : flat,
                             &then = factor_first ? flat : hypothesis;
    const Index boundary = first_slot_unlike(observation, first);
    if (boundary < 1) continue;
    all.push_back(
        {changed_from(observation, first, boundary, then),
         factor_first
             ? fmt::format("rows from {} on lack the attention factor, {:.6g}", boundary, factor)
             : fmt::format("rows before {} lack the attention factor, {:.6g}", boundary, factor)});
  }
  return all;
}

// Another base up to a row, or from it on: a cache that was made before the base was known.
RotationProposals base_on_some_rows(const RotationObservation& observation,
                                    const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const double base = number_of(observation, hypothesis, "base");
  if (!observation.has_rows() || !hypothesis.axis.empty() || !hypothesis.changes.empty() ||
      hypothesis.split || !(base > 0))
    return all;
  const Index end_of_meant = first_slot_unlike(observation, hypothesis);
  for (const double known : {1e4, 1e6, 5e5, 1e5, 2.5e4, 5e4, 1.5e5, 1.6e5, 2e6, 5e6, 1e7}) {
    const auto other =
        known == base ? std::nullopt : remade(observation, hypothesis, {{"base", known}});
    if (!other) continue;
    for (const bool meant_first : {true, false}) {
      const RotationHypothesis &first = meant_first ? hypothesis : *other,
                               &then = meant_first ? *other : hypothesis;
      const Index boundary = meant_first ? end_of_meant : first_slot_unlike(observation, first);
      if (boundary <= 1) continue;
      all.push_back(
          {changed_from(observation, first, boundary, then),
           fmt::format("rows {} {}{} have base {}, where {} is meant",
                       meant_first ? "from" : "before", boundary, meant_first ? " on" : "",
                       spell_number(known), meant(observation, "base")),
           1.1, Cause::wrong_base});
    }
  }
  return all;
}

// dynamic of a sequence that grew token by token, each row with the base of the length that it had
// then (transformers before 4.36 and whoever keeps turned keys): f·g^(−2j/(d − 2)), g the growth of
// the base at s·L/M − (s − 1).
RotationProposals by_own_lengths(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const auto number = [&](const char* name) { return number_of(observation, hypothesis, name); };
  const std::size_t pairs = hypothesis.frequencies.size();
  if (word_of(observation, hypothesis, "scaling") != "dynamic" || !observation.has_rows() ||
      pairs < 2 || unscaled.size() != pairs || !hypothesis.axis.empty())
    return {};
  const double s = number("factor"), original = number("original-max-position") > 0
                                                    ? number("original-max-position")
                                                    : number("max-position");
  if (!(s > 1) || !(original > 0)) return {};
  RotationProposals all;
  for (const double more : {1.0, 0.0}) {
    RotationHypothesis grown = hypothesis;
    grown.ladder = [unscaled, s, original, more, at = hypothesis.position](Index row, double* f) {
      const double length = std::max(at(row, 0) + more, original),
                   growth = std::log(s * length / original - (s - 1)),
                   last = static_cast<double>(unscaled.size()) - 1;
      for (std::size_t j = 0; j < unscaled.size(); ++j)
        f[j] = unscaled[j] * std::exp(-growth * static_cast<double>(j) / last);
    };
    all.push_back({std::move(grown),
                   more > 0 ? "each row has the base of its own length, as keys have that were "
                              "turned when the sequence ended there"
                            : "each row has the base of the length before it",
                   more > 0 ? 1 : 1.05});
  }
  return all;
}

// Of several axes, whose rows may stand elsewhere: the number that most pairs are divided by, where
// none is.
RotationProposals divided(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  if (hypothesis.axis.empty() || !observation.has_rows() || is_scaled(observation, hypothesis))
    return {};
  const std::vector<double> seen = observation.measured(hypothesis),
                            errors = observation.measured_errors(hypothesis);
  std::vector<double> ratios;
  constexpr double sharp = 0.01;
  for (std::size_t j = 0; j < seen.size(); ++j)
    if (seen[j] > 0 && errors[j] < sharp * seen[j])
      ratios.push_back(hypothesis.frequencies[j] / seen[j]);
  const double by = tidiest(median_of(ratios), sharp / 10).value;
  const auto same = std::ranges::count_if(
      ratios, [&](double ratio) { return std::fabs(ratio - by) <= sharp * by; });
  if (!(by > 1.01) || same < 4 || 2 * same <= std::ssize(ratios)) return {};
  RotationProposals all;
  add_both(observation, hypothesis, {{"scaling", "linear"}, {"factor", by}},
           fmt::format("frequencies are those of linear scaling by {}, where none is meant",
                       spell_number(by)),
           1.1, all);
  return all;
}

constexpr RotationProposer rows[] = {
    {Cause::scaling_missing, "scaling", missing, may_be_by_angles},
    {Cause::longrope_other_list, "scaling", other_list, may_be_by_angles},
    {Cause::longrope_mixed, "scaling", mixed_lists, may_be_by_angles},
    {Cause::scaling_inverted, "scaling", inverted, may_be_by_angles},
    {Cause::scaling_twice, "scaling", twice, may_be_by_angles},
    {Cause::yarn_betas_swapped, "scaling", yarn_betas, may_be_by_angles},
    {Cause::yarn_ramp, "scaling", yarn_ramp, may_be_by_angles},
    {Cause::wrong_parameter, "scaling", fitted_parameter, may_be_by_angles},
    {Cause::wrong_scaling, "scaling", every_scaling, may_be_by_angles},
    {Cause::wrong_scaling, "scaling", divided, may_be_by_angles},
    {Cause::wrong_scaling, "scaling", own_divisors, may_be_by_angles},
    {Cause::other_table, "scaling", other_table, may_be_by_angles},
    {Cause::scaling_on_some_rows, "scaling", on_some_rows},
    {Cause::scaling_on_some_rows, "scaling", by_own_lengths},
    {Cause::attention_factor_missing, "scaling", factor_on_some_rows},
    {Cause::wrong_base, "base scaling", base_on_some_rows, may_be_by_angles},
};

}  // namespace

std::span<const RotationProposer> scaling_causes() { return rows; }

}  // namespace pe
