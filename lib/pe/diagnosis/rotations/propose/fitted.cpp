// Proposals from fits: the rule that is meant with a parameter otherwise, else every rule there is.
#include "pe/diagnosis/rotations/propose/fitted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pe/base/whole.hpp"

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

const Scaling* meant_scaling(const RotationObservation& observation) {
  const Parameters& parameters = observation.expected().parameters;
  if (!parameters.has("scaling") || parameters.choice("scaling") == "none") return nullptr;
  return &find_scaling(parameters.choice("scaling"));
}

double meant_base(const RotationObservation& observation) {
  const Parameters& parameters = observation.expected().parameters;
  return parameters.has("base") ? parameters.number("base").value() : 0;
}

bool is_ramp(LadderRule rule) {
  return rule == LadderRule::ramped || rule == LadderRule::banded || rule == LadderRule::given;
}

// The hypothesis with this ladder, its amplitude that of the rule or the one that is meant.
void add_ladder(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                const MeasuredLadder& measured, const BasicLadder<double>& ladder, Settings changes,
                const std::string& sentence, double cost, RotationProposals& all) {
  RotationHypothesis other = hypothesis;
  other.frequencies = ladder.frequencies;
  other.angle_ulps =
      angle_ulps_of(ladder.frequencies, measured.plain.frequencies, is_ramp(ladder.recipe.rule));
  for (auto& [name, value] : changes) other.changes[name] = value;
  all.push_back({other, sentence, cost});
  const double meant = observation.truth().magnitude;
  const bool as_meant = hypothesis.cosine_magnitude == meant && hypothesis.sine_magnitude == meant;
  if (!observation.has_amplitude() || !as_meant || ladder.magnitude == meant) return;
  all.back().sentence += " (the attention factor is as meant)";
  all.back().cost += 0.01;
  other.cosine_magnitude = other.sine_magnitude = ladder.magnitude;
  all.push_back({other, sentence, cost});
}

// The parameters of the scaling that is meant, completed by its fallbacks.
Settings meant_settings(const RotationObservation& observation, const Scaling* scaling) {
  Settings settings = settings_of(observation.expected().parameters);
  if (scaling) settings.merge(fallbacks_of(scaling->parameters));
  return settings;
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
  for (const FittedLadder& fit : observation.fitted(hypothesis, measured))
    // A ramp to a shorter context is no rule's; a rule turned round is told as that.
    if (!is_ramp(fit.ladder.recipe.rule) || number_in(fit.settings, "factor", 1) >= 1)
      all.push_back({fit.scaling, base, cost + fit.cost, fit.settings, measured, fit.ladder});
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
    for (const double known : {1e4, 5e5, 1e6, 1e5, 1.5e5, 1.6e5, 2.5e5, 6.4e5, 1.3e5, 5e4, 2.5e4})
      if (std::fabs(std::log(known / base)) < error) add({known, 0.01});
  }
  return bases;
}

std::string words_of_meant(const RotationObservation& observation) {
  const Scaling* scaling = meant_scaling(observation);
  return scaling ? describe(*scaling, meant_settings(observation, scaling)) : "none";
}

Settings changes_of(const Found& found) {
  Settings settings = found.settings;
  settings["scaling"] = std::string(found.scaling->name);
  settings["base"] = found.base;
  return settings;
}

}  // namespace

std::optional<MeasuredLadder> measured_ladder(const RotationObservation& observation,
                                              const RotationHypothesis& hypothesis, double base) {
  const RotationTruth& truth = observation.truth();
  if (!observation.expected().encoding->scalable || !(base > 1) || !hypothesis.changes.empty() ||
      hypothesis.frequencies != truth.frequencies || !hypothesis.axis.empty() ||
      truth.unscaled.size() < observation.pairs() || observation.pairs() < 2 ||
      !(truth.unscaled[1] > 0))
    return {};
  // The exponents' own denominator, which is not the pairs' number where the head turns in part.
  const std::optional<Index> dim = whole<Index>(
      std::round(-2 * std::log(meant_base(observation)) / std::log(truth.unscaled[1])));
  if (!dim) return {};
  MeasuredLadder measured;
  measured.plain = geometric_ladder(base, *dim, static_cast<Index>(observation.pairs()));
  measured.frequencies = observation.measured(hypothesis);
  measured.errors = observation.measured_errors(hypothesis);
  if (observation.has_amplitude()) {
    measured.amplitude = observation.amplitude();
    measured.amplitude_error = 2 * unit_roundoff(observation.dtype()) + 0x1p-22;
  }
  if (observation.has_rows()) measured.length = static_cast<double>(observation.slots());
  measured.context = meant_settings(observation, meant_scaling(observation));
  return measured;
}

std::string describe(const Scaling& scaling, const Settings& settings) {
  std::string text = fmt::format("{} scaling", scaling.name);
  const Settings usual = fallbacks_of(scaling.parameters);
  const auto add = [&](const char* name, const char* word) {
    if (const auto found = settings.find(name); found != settings.end())
      text += fmt::format(" {} {}", word, spell(found->second));
  };
  add("factor", "by");
  add("original-max-position", "of");
  for (const Parameter& parameter : scaling.parameters) {
    const std::string_view name = parameter.name;
    const auto value = settings.find(name);
    const auto fallback = usual.find(name);
    if (name == "factor" || name == "original-max-position" || value == settings.end() ||
        parameter.type == Parameter::Type::numbers)
      continue;
    if (fallback != usual.end() && fallback->second == value->second) continue;
    if (name == "ramp" && scaling.name == "yarn" && value->second == Setting(std::string("index")))
      continue;
    text += fmt::format(", {} {}", name, spell(value->second));
  }
  return text;
}

RotationProposals fitted_parameter(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  RotationProposals all = one_parameter(observation, hypothesis);
  // Several of them: the rule that is meant, fitted from nothing.
  const Scaling* scaling = meant_scaling(observation);
  if (!scaling) return all;
  for (const Found& one : over_meant_base(observation, hypothesis))
    if (one.scaling == scaling)
      add_ladder(observation, hypothesis, one.measured, one.ladder, changes_of(one),
                 fmt::format("{}, where {} is meant", describe(*one.scaling, one.settings),
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
  for (const Found& one : over_meant_base(observation, hypothesis))
    if (!is_same(one))
      add_ladder(observation, hypothesis, one.measured, one.ladder, changes_of(one),
                 fmt::format("frequencies are those of {}, where {} is meant",
                             describe(*one.scaling, one.settings), words_of_meant(observation)),
                 1.06 + one.cost, all);
  return all;
}

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

// A list has a number for every pair, and so fits any ladder. It explains what it could not help
// fitting only where divisors grow with the pair, as those that are made for longer contexts do.
RotationProposals own_divisors(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Scaling* scaling = meant_scaling(observation);
  const auto measured = measured_ladder(observation, hypothesis, meant_base(observation));
  if (!measured) return all;
  double highest = 0.9;
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

RotationProposals other_table(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Scaling* scaling = meant_scaling(observation);
  const double meant = meant_base(observation);
  const auto measured = measured_ladder(observation, hypothesis, meant);
  if (!measured) return all;
  std::vector<Found> found;
  for (const TidyNumber& base : bases_of(*measured)) {
    if (std::fabs(base.value / meant - 1) < 1e-9) continue;
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
                    describe(*one.scaling, one.settings), spell_number(one.base),
                    scaling ? words_of_meant(observation) : "a plain ladder", spell_number(meant)),
        1.4 + one.cost, all);
  return all;
}

}  // namespace pe
