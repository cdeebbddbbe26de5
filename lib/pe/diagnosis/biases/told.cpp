// The search for what is told of a bias, and the passes over its cells that hold it.
#include "pe/diagnosis/biases/told.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/diagnosis/biases/entries.hpp"
#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/biases/sides.hpp"
#include "pe/diagnosis/biases/some_heads.hpp"
#include "pe/diagnosis/biases/weights.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

using Constant = BiasHypothesis::Constant;

// What attention cannot tell from the hypothesis, where rows may have any constant: which they
// have.
void note_constant(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                   Diagnosis& diagnosis) {
  if (hypothesis.constant != Constant::any || hypothesis.slopes.empty()) return;
  for (const Equivalent& one : equivalents(observation)) {
    if (one.hypothesis.heads != observation.base.heads || !one.hypothesis.tokens.empty()) continue;
    BiasHypothesis other = hypothesis;
    other.constant = one.hypothesis.constant;
    other.constant_steps = one.hypothesis.constant_steps;
    if (!observation.agrees(other)) continue;
    diagnosis.notes.insert(diagnosis.notes.end(), one.notes.begin(), one.notes.end());
    return;
  }
}

}  // namespace

void add_refuting_probes(BiasObservation& observation, const Stored& array, const BiasPass& pass) {
  for (const std::optional<Spot>& spot :
       {pass.residuals.first_wrong(), pass.residuals.worst_spot()})
    if (spot) add_probe(observation, array, spot->run, spot->index);
}

std::optional<BiasExplanation> tell_smallest(BiasObservation& observation, const Stored& array,
                                             const BiasHypothesis& start, Diagnosis& diagnosis) {
  constexpr int rounds = 3;
  constexpr std::size_t most = 6;  // passes over the array in a round
  constexpr Index enough = 4096;   // wrong cells that refute a hypothesis
  for (int round = 0; round < rounds; ++round) {
    auto found = explain<BiasObservation>(observation, start, bias_proposers());
    if (found.empty()) return {};
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
      const BiasPass pass = bias_pass(observation, array, found[i].hypothesis, enough);
      if (pass.residuals.agrees()) {
        found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i));
        const auto sides = wrong_sides(observation, found.front().hypothesis, pass.later);
        tell(found, diagnosis);
        note_constant(observation, found.front().hypothesis, diagnosis);
        // Decoding that drops the bias has no later keys: a note tells those of the rows before.
        const bool is_told = std::ranges::any_of(diagnosis.reasons, [&](const Reason& one) {
          return one.cause == Cause::bias_zero || (sides && one.cause == sides->cause);
        });
        if (sides && !is_told) diagnosis.reasons.push_back(*sides);
        return BiasExplanation{std::move(found.front().hypothesis), pass.later};
      }
      add_refuting_probes(observation, array, pass);
    }
  }
  return {};
}

bool tell_far_better(const BiasObservation& observation, const Stored& array,
                     const BiasHypothesis& meant, const Tally& residuals, Diagnosis& diagnosis) {
  constexpr double gain = 30, roundings = 64;
  const auto spot = residuals.worst_spot();
  if (!spot || !std::isfinite(spot->expected) ||
      !(residuals.worst() > roundings * std::max(0x1p-24, unit_roundoff(observation.dtype)) *
                                std::fabs(spot->expected)))
    return false;
  Search<BiasObservation> search(observation, meant, bias_proposers());
  for (const Explanation<BiasObservation>& one : search.at_depth(1)) {
    if (one.tier != Tier::wrong || !(gain * one.fit.residual < residuals.worst())) continue;
    const BiasPass pass = bias_pass(observation, array, one.hypothesis);
    if (!pass.residuals.agrees() || !(gain * pass.residuals.worst() < residuals.worst())) continue;
    tell<BiasObservation>({one}, diagnosis);
    diagnosis.before = residuals.worst();
    diagnosis.after = pass.residuals.worst();
    diagnosis.notes.push_back(
        fmt::format("within the bound, and {:.0f} times nearer with the cause taken into account",
                    residuals.worst() / std::max(pass.residuals.worst(), 1e-300)));
    return true;
  }
  return false;
}

bool tell_beside_damage(const BiasObservation& observation, const Stored& array,
                        const BiasHypothesis& start, Diagnosis& diagnosis) {
  constexpr std::size_t most = 6;  // passes over the array
  if (observation.shape.slopes) return false;
  const auto rest = without_foreign_cells(observation);
  auto found = explain<BiasObservation>(rest ? *rest : observation, start, bias_proposers());
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
    const auto cells = damage_beside(observation, array, found[i].hypothesis);
    if (!cells || found[i].reasons.empty()) continue;
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i));
    tell(found, diagnosis);
    diagnosis.tier = Tier::wrong;
    diagnosis.reasons.push_back(*cells);
    return true;
  }
  return false;
}

bool tell_some_heads(const BiasObservation& observation, Diagnosis& diagnosis) {
  for (const Equivalent& one : equivalents(observation)) {
    if (observation.shape.heads > observation.bias->heads) return false;
    auto some = wrong_heads(observation, one.hypothesis);
    if (!some) continue;
    some->hypothesis.constant = Constant::any;
    Diagnosis told;
    if (!tell_smallest(some->observation, *some->array, some->hypothesis, told)) {
      auto weights = other_weights(*observation.expected, some->observation, *some->array);
      if (!weights) return false;
      told.reasons.push_back(std::move(*weights));
    }
    diagnosis.tier = Tier::wrong;
    for (const Reason& reason : told.reasons)
      diagnosis.reasons.push_back(
          {reason.cause,
           fmt::format("{}: {}", spell_heads(some->heads, observation.shape), reason.sentence)});
    std::ranges::move(told.notes, std::back_inserter(diagnosis.notes));
    return !diagnosis.reasons.empty();
  }
  return false;
}

}  // namespace pe
