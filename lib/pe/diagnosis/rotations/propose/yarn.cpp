// Causes of yarn's ramp and of longrope's two lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
void ramped(const RotationObservation& observation, const RotationHypothesis& hypothesis,
            double (*use)(double unscaled, double factor, double part, double share),
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
// leaves them: those of other betas, L/2π·(L/2πβ)^(ln base/ln other), over this one.
void add_ramps_of_bases(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis, RotationProposals& all) {
  const auto number = [&](const char* name) { return number_of(observation, hypothesis, name); };
  const double base = number("base"),
               turns = number("original-max-position") / (2 * std::numbers::pi);
  if (!(base > 1) || !(turns > 0)) return;
  for (const double other : {1e4, 1e5, 5e5, 1e6, 1e7}) {
    if (other == base) continue;
    const auto beta = [&](const char* name) {
      return turns * std::pow(turns / number(name), -std::log(base) / std::log(other));
    };
    add_both(observation, hypothesis,
             {{"beta-fast", beta("beta-fast")}, {"beta-slow", beta("beta-slow")}},
             fmt::format("the ramp's ends are those of base {}, where {} is meant", other,
                         meant(observation, "base")),
             1, all);
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
  add_ramps_of_bases(observation, hypothesis, all);
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
  ramped(
      observation, hypothesis,
      [](double f, double s, double, double w) { return f * (1 - w * w + w * w / s); },
      "the ramp's share is squared", 1.05, all);
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
  if (!both || !observation.has_rows() || observation.reading().run > 0) return {};
  const auto original =
      static_cast<Index>(number_of(observation, hypothesis, "original-max-position"));
  RotationProposals all;
  for (const Index row : {original, original + 1, original - 1}) {
    if (row <= 0 || row >= observation.reading().rows) continue;
    RotationHypothesis mixed = both->first;
    mixed.split =
        RotationHypothesis::Split{row, both->second.frequencies, both->second.cosine_magnitude};
    all.push_back({mixed, fmt::format("rows before {} have the short factors, rows from it on the "
                                      "long ones: one sequence has two rotations",
                                      row)});
    if (row != original) continue;
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
    const Index row = first_row_unlike(observation, *first);
    if (row <= 1) continue;
    RotationHypothesis mixed = *first;
    mixed.split = RotationHypothesis::Split{row, then->frequencies, then->cosine_magnitude};
    all.push_back({mixed, fmt::format("rows before {} have the {} factors, rows from it on the {} "
                                      "ones: one sequence has two rotations",
                                      row, words.first, words.second)});
  }
  return all;
}

}  // namespace pe
