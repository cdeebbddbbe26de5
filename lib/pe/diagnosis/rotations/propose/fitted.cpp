// Proposals from fits: the rule that is meant with a parameter otherwise, else every rule there is.
#include "pe/diagnosis/rotations/propose/fitted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/known_bases.hpp"

namespace pe {
namespace {

// Parameters of a scaling whose fault has a name of its own; of the others it is wrong-parameter.
struct Named {
  std::string_view scaling, parameter;
  Cause cause;
};

constexpr Named named[] = {
    {"yarn", "truncate", Cause::yarn_truncate},
    {"yarn", "ramp-clamp", Cause::yarn_clamp},
    {"yarn", "original-max-position", Cause::yarn_original_length},
    {"yarn", "ramp", Cause::yarn_ramp},
    {"yarn", "beta-fast", Cause::yarn_ramp},
    {"yarn", "beta-slow", Cause::yarn_ramp},
    {"longrope", "factor-list", Cause::longrope_other_list},
};

Cause cause_of(std::string_view scaling, std::string_view parameter) {
  for (const Named& row : named)
    if (row.scaling == scaling && row.parameter == parameter) return row.cause;
  return Cause::wrong_parameter;
}

bool divides_alike(const BasicLadder<double>& plain, const BasicLadder<double>& bent) {
  const double ratio = bent.frequencies[0] / plain.frequencies[0];
  for (std::size_t j = 1; j < plain.frequencies.size(); ++j)
    if (std::fabs(bent.frequencies[j] / plain.frequencies[j] / ratio - 1) > 1e-12) return false;
  return true;
}

RotationProposals one_parameter(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Scaling* scaling = meant_scaling(observation);
  if (!scaling) return all;
  const auto measured = measured_ladder(observation, hypothesis, meant_base(observation));
  if (!measured) return all;
  for (const ParameterFit& one : observation.fitted_parameters(hypothesis, *scaling, *measured)) {
    const std::string name = one.parameter->name;
    if (name == "factor-list") continue;  // both lists are made again elsewhere
    const auto ladder = sketched(*scaling, *measured, one.fit.settings);
    if (!ladder ||
        number_in(one.fit.settings, "beta-fast", 2) <= number_in(one.fit.settings, "beta-slow", 1))
      continue;  // a ramp that has no width is that of exchanged betas
    if (is_ramp(ladder->recipe.rule) && divides_alike(measured->plain, *ladder))
      continue;  // and one that no pair is on is linear scaling
    const Setting& value = one.fit.settings.at(name);
    const bool word = !std::holds_alternative<double>(value);
    const std::size_t before = all.size();
    add_ladder(
        observation, hypothesis, *measured, *ladder, {{name, value}},
        fmt::format("{} {}, where {} is meant", name, spell(value), meant(observation, name)),
        word ? 1 : 1 + one.fit.cost, all);
    for (std::size_t i = before; i < all.size(); ++i) all[i].cause = cause_of(scaling->name, name);
  }
  return all;
}

// A fit that agrees, with the base that it stands over.
struct Found {
  const Scaling* scaling;
  double base, cost;
  Settings settings;
  MeasuredLadder measured;
  BasicLadder<double> ladder;
};

void ask_rows(const RotationObservation& observation, const RotationHypothesis& hypothesis,
              const MeasuredLadder& measured, double base, double cost, std::vector<Found>& all) {
  for (const FittedLadder& fit : observation.fitted(hypothesis, measured)) {
    // A ramp to a shorter context, or a part of the pairs for it, is no rule's; a rule turned round
    // is told as that.
    const double factor = number_in(fit.settings, "factor", 1);
    const bool stops = fit.ladder.recipe.rule == LadderRule::live;
    if (factor < 1 && (stops || is_ramp(fit.ladder.recipe.rule))) continue;
    // Pairs that turn nowhere: of a table that is a rule's name; a program that turns vectors left
    // them out, whatever is wrong with the others.
    const Scaling* meant = meant_scaling(observation);
    if (stops && observation.reading().is_vectors() && fit.scaling != meant &&
        (meant || factor != 1 || base != meant_base(observation)))
      continue;
    all.push_back({fit.scaling, base, cost + fit.cost, fit.settings, measured, fit.ladder});
  }
}

// Every rule's fit over the base that is meant.
std::vector<Found> over_meant_base(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  std::vector<Found> found;
  const double base = meant_base(observation);
  if (const auto measured = measured_ladder(observation, hypothesis, base))
    ask_rows(observation, hypothesis, *measured, base, 0, found);
  return found;
}

// Bases that the fast pairs have, which no ramp touches; tidy ones first.
std::vector<TidyNumber> bases_of(const MeasuredLadder& measured) {
  std::vector<TidyNumber> bases;
  const std::size_t n = measured.pairs();
  for (const std::size_t j : {std::size_t{1}, std::size_t{2}, std::size_t{3}, n / 8, n / 4}) {
    if (j == 0 || j >= n || !measured.knows(j) || !measured.knows(0)) continue;
    const double power = static_cast<double>(measured.plain.dim) / (2 * static_cast<double>(j));
    const double base = std::pow(measured.frequencies[0] / measured.frequencies[j], power),
                 error = power * (measured.relative_error(0) + measured.relative_error(j));
    if (!(base > 1.0001) || !(base < 1e15)) continue;
    const auto add = [&](TidyNumber tidy) {
      if (std::ranges::none_of(bases, [&](const auto& one) { return one.value == tidy.value; }))
        bases.push_back(tidy);
    };
    if (error < 0.05) add(tidiest(base, error));
    for (const double known : known_bases)
      if (std::fabs(std::log(known / base)) < error) add({known, 0.01});
  }
  return bases;
}

Settings changes_of(const Found& found) {
  Settings settings = found.settings;
  settings["scaling"] = std::string(found.scaling->name);
  settings["base"] = found.base;
  return settings;
}

}  // namespace

RotationProposals fitted_parameter(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  RotationProposals all = one_parameter(observation, hypothesis);
  // Several of them: the rule that is meant, fitted from nothing.
  const Scaling* scaling = meant_scaling(observation);
  if (!scaling) return all;
  for (const Found& one : over_meant_base(observation, hypothesis))
    if (one.scaling == scaling)
      add_ladder(observation, hypothesis, one.measured, one.ladder, changes_of(one),
                 fmt::format("{}, where {} is meant", spell_scaling(*one.scaling, one.settings),
                             words_of_meant(observation)),
                 1.15 + one.cost, all);
  return all;
}

RotationProposals every_scaling(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Scaling* scaling = meant_scaling(observation);
  // Yarn without its attention factor is ntk-by-parts on an index ramp: told as yarn where that is
  // meant.
  const auto is_same = [&](const Found& one) {
    return one.scaling == scaling ||
           (scaling && scaling->name == "yarn" && one.ladder.recipe.rule == LadderRule::ramped);
  };
  for (const Found& one : over_meant_base(observation, hypothesis)) {
    if (is_same(one)) continue;
    const std::size_t before = all.size();
    const bool stands = !scaling && one.ladder.recipe.rule == LadderRule::live &&
                        number_in(one.settings, "factor", 1) == 1;  // nothing is scaled
    std::string sentence =
        fmt::format("frequencies are those of {}, where {} is meant",
                    spell_scaling(*one.scaling, one.settings), words_of_meant(observation));
    // No rule of the whole ladder leaves out so few.
    const auto still = static_cast<int>(observation.pairs()) - one.ladder.recipe.count;
    const bool is_still = stands && (observation.reading().is_vectors() ||
                                     8 * still <= static_cast<int>(observation.pairs()));
    if (stands)
      sentence =
          (one.ladder.recipe.count + 1 == static_cast<int>(observation.pairs())
               ? fmt::format("pair {} turns nowhere; the others are right", one.ladder.recipe.count)
               : fmt::format("pairs {} to {} turn nowhere; the others are right",
                             one.ladder.recipe.count, observation.pairs() - 1)) +
          (is_still ? "" : ": " + sentence);
    add_ladder(observation, hypothesis, one.measured, one.ladder, changes_of(one), sentence,
               1.06 + one.cost, all);
    for (std::size_t i = before; is_still && i < all.size(); ++i)
      all[i].cause = Cause::channels_not_rotated;
  }
  return all;
}

RotationProposals other_table(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Scaling* scaling = meant_scaling(observation);
  const double meant = meant_base(observation);
  const auto measured = measured_ladder(observation, hypothesis, meant);
  if (!measured) return all;
  std::vector<Found> found;
  for (const TidyNumber& base : bases_of(*measured)) {
    // Nobody chooses one of many digits.
    constexpr int few_digits = 4;
    if (std::fabs(base.value / meant - 1) < 1e-9 || !has_digits(base.value, few_digits)) continue;
    MeasuredLadder other = *measured;
    other.plain =
        geometric_ladder(base.value, measured->plain.dim, static_cast<Index>(measured->pairs()));
    // Where the rule that is meant stands over this base, the base alone is wrong.
    const auto same = scaling ? sketched(*scaling, other, other.context) : std::nullopt;
    if (same && agrees(other, same->frequencies)) continue;
    ask_rows(observation, hypothesis, other, base.value, base.cost, found);
  }
  // Over a base that is fitted, a rule that changes the base says nothing.
  std::erase_if(found, [](const Found& one) {
    return one.ladder.recipe.rule == LadderRule::plain || one.scaling->name == "ntk";
  });
  for (const Found& one : found)
    add_ladder(
        observation, hypothesis, one.measured, one.ladder, changes_of(one),
        fmt::format("this is {} on base {}, where {} on base {} is meant",
                    spell_scaling(*one.scaling, one.settings), spell_number(one.base),
                    scaling ? words_of_meant(observation) : "a plain ladder", spell_number(meant)),
        1.4 + one.cost, all);
  return all;
}

}  // namespace pe
