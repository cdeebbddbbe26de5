// Causes of yarn's ramp and of longrope's two lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>

#include "pe/diagnosis/rotations/propose/alternatives.hpp"

namespace pe {
namespace {

bool is_yarn(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  return word_of(observation, hypothesis, "scaling") == "yarn";
}

// The share w of the divided frequency that each pair has, put to another use: from the unscaled
// frequency, the factor and j/n.
void ramped(
    const RotationObservation& observation, const RotationHypothesis& hypothesis,
    const std::function<double(double unscaled, double factor, double part, double share)>& use,
    const std::string& sentence, double cost, RotationProposals& all) {
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const double s = number_of(observation, hypothesis, "factor"),
               n = static_cast<double>(hypothesis.frequencies.size());
  if (!(s > 1) || unscaled.size() < hypothesis.frequencies.size()) return;
  RotationHypothesis other = hypothesis;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j) {
    const double share = (1 - hypothesis.frequencies[j] / unscaled[j]) / (1 - 1 / s);
    other.frequencies[j] =
        use(unscaled[j], s, static_cast<double>(j) / n, std::clamp(share, 0.0, 1.0));
  }
  all.push_back({other, sentence, cost});
}

std::optional<std::pair<RotationHypothesis, RotationHypothesis>> lists(
    const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  if (word_of(observation, hypothesis, "scaling") != "longrope") return {};
  const auto list = [&](const char* name) {
    const auto other = remade(observation, hypothesis, {{"factor-list", name}});
    return other ? *other : hypothesis;  // remade() gives nothing where nothing changes
  };
  return std::pair{list("short"), list("long")};
}

// The ramp's ends d·ln(L/2πβ)/(2·ln base) of another base, as a default that is not passed on
// leaves them, or of another d, as that of a head of which a part turns: those of other betas,
// L/2π·(L/2πβ)^−q, over these; q is ln base/ln other, other d/d.
void add_ramps_of_others(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis, RotationProposals& all) {
  const auto number = [&](const char* name) { return number_of(observation, hypothesis, name); };
  const double base = number("base"),
               turns = number("original-max-position") / (2 * std::numbers::pi);
  if (!(base > 1) || !(turns > 0)) return;
  const auto add = [&](double power, double cost, const std::string& sentence) {
    const auto beta = [&](const char* name) {
      return turns * std::pow(turns / number(name), -power);
    };
    add_both(observation, hypothesis,
             {{"beta-fast", beta("beta-fast")}, {"beta-slow", beta("beta-slow")}}, sentence, cost,
             all);
  };
  for (const double other : {1e4, 1e5, 5e5, 1e6, 1e7})
    if (other != base)
      add(std::log(base) / std::log(other), 1,
          fmt::format("the ramp's ends are those of base {}, where {} is meant", other,
                      meant(observation, "base")));
  const auto channels = 2 * std::ssize(hypothesis.frequencies);
  for (const double ratio : {2.0, 4.0, 0.5, 4.0 / 3})
    if (const double width = ratio * static_cast<double>(channels); width == std::round(width))
      add(ratio, 1.05,
          fmt::format("the ramp's ends are those of {} channels, where {} turn", width, channels));
}

// A ramp that each pair reads at the next one's place, or at the one before.
void add_moved_ramps(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                     RotationProposals& all) {
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const std::size_t pairs = hypothesis.frequencies.size();
  if (unscaled.size() != pairs || pairs < 3) return;
  for (const bool next : {true, false}) {
    RotationHypothesis other = hypothesis;
    for (std::size_t j = 0; j < pairs; ++j) {
      const std::size_t from = next ? std::min(j + 1, pairs - 1) : j - std::min<std::size_t>(j, 1);
      other.frequencies[j] = unscaled[j] * (hypothesis.frequencies[from] / unscaled[from]);
    }
    all.push_back({std::move(other),
                   fmt::format("the ramp begins and ends one pair {}", next ? "earlier" : "later"),
                   1.05});
  }
}

}  // namespace

RotationProposals yarn_betas(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!is_yarn(observation, hypothesis)) return all;
  const double fast = number_of(observation, hypothesis, "beta-fast"),
               slow = number_of(observation, hypothesis, "beta-slow");
  add_both(observation, hypothesis, {{"beta-fast", slow}, {"beta-slow", fast}},
           fmt::format("beta-fast and beta-slow ({} and {}) were exchanged", fast, slow), 1, all);
  ramped(
      observation, hypothesis,
      [](double f, double s, double, double w) { return f * (w + (1 - w) / s); },
      "the ramp is turned round, as exchanged betas turn it: fast pairs are divided and slow ones "
      "kept",
      1.02, all);
  ramped(
      observation, hypothesis,
      [](double f, double s, double, double w) { return f * (w > 0 ? 1 / s : 1); },
      "the ramp is a step at its lower end, as exchanged betas make it in ggml", 1.02, all);
  ramped(
      observation, hypothesis,
      [](double f, double s, double, double w) { return f * (w < 1 ? 1 : 1 / s); },
      "the ramp is a step at its upper end, as exchanged betas make it in ggml", 1.02, all);
  return all;
}

RotationProposals yarn_ramp(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!is_yarn(observation, hypothesis)) return all;
  add_both(observation, hypothesis, {{"beta-fast", 32.0}, {"beta-slow", 1.0}},
           fmt::format("betas 32 and 1, where {} and {} are meant", meant(observation, "beta-fast"),
                       meant(observation, "beta-slow")),
           1, all);
  add_ramps_of_others(observation, hypothesis, all);
  ramped(
      observation, hypothesis,
      [](double f, double s, double part, double w) {
        return f * (1 - w) + w * f * std::pow(s, -part);
      },
      "the factor stands within the power, (s·base)^(−2j/d)", 1.02, all);
  ramped(
      observation, hypothesis,
      [](double f, double s, double, double w) { return f * std::pow(s, -w); },
      "frequencies are divided by s^w, w the ramp's share, where (1 − w) + w/s is to multiply them",
      1.02, all);
  const std::pair<double (*)(double share), const char*> forms[] = {
      {[](double w) { return w * w; }, "the ramp's share is squared"},
      {[](double w) { return w < 0.5 ? 0.0 : 1.0; }, "the ramp is a step in its middle"},
      {[](double w) { return w * w * (3 - 2 * w); }, "the ramp is smoothed, w²(3 − 2w)"},
      {[](double w) { return (1 - std::cos(std::numbers::pi * w)) / 2; },
       "the ramp is smoothed, (1 − cos πw)/2"}};
  for (const auto& [of, sentence] : forms)
    ramped(
        observation, hypothesis,
        [form = of](double f, double s, double, double w) {
          return f * (1 - form(w) * (1 - 1 / s));
        },
        sentence, 1.05, all);
  add_moved_ramps(observation, hypothesis, all);
  return all;
}

RotationProposals other_list(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  const auto both = lists(observation, hypothesis);
  if (!both) return {};
  const auto& [brief, extended] = *both;
  RotationProposals all;
  for (const auto& [other, name] : {std::pair{&brief, "short"}, {&extended, "long"}})
    if (other->frequencies != hypothesis.frequencies)
      all.push_back(
          {*other, fmt::format("every row has the {} factors, where the {} ones are meant", name,
                               std::string_view(name) == "short" ? "long" : "short")});
  return all;
}

RotationProposals mixed_lists(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  const auto both = lists(observation, hypothesis);
  if (!both || !observation.has_rows()) return {};
  const auto original =
      static_cast<Index>(number_of(observation, hypothesis, "original-max-position"));
  RotationProposals all;
  for (const Index row : {original, original + 1, original - 1}) {
    if (row <= 0 || row >= observation.slots()) continue;
    RotationHypothesis mixed = changed_from(observation, both->first, row, both->second);
    all.push_back({mixed, fmt::format("rows before {} have the short factors, rows from it on the "
                                      "long ones: one sequence has two rotations",
                                      row)});
    if (row != original || observation.reading().run > 0) continue;
    // vLLM's cache: the long table from position 0 stands behind the short one.
    mixed.position = [before = hypothesis.position, row](Index r, std::size_t axis) {
      return before(r < row ? r : r - row, axis);
    };
    all.push_back({mixed, fmt::format("rows from {} on are the long table from position 0 again: "
                                      "two tables in one, as vLLM stacks them",
                                      row)});
  }
  for (const auto& [first, then, words] :
       {std::tuple{&both->first, &both->second, std::pair{"short", "long"}},
        {&both->second, &both->first, std::pair{"long", "short"}}}) {
    const Index row = first_slot_unlike(observation, *first);
    if (row <= 1) continue;
    all.push_back({changed_from(observation, *first, row, *then),
                   fmt::format("rows before {} have the {} factors, rows from it on the {} "
                               "ones: one sequence has two rotations",
                               row, words.first, words.second)});
  }
  return all;
}

}  // namespace pe
