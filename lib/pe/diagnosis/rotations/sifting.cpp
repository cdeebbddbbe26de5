// Which hypotheses are taken out, though they agree at the probes.
#include "pe/diagnosis/rotations/sifting.hpp"

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/causes.hpp"

namespace pe {

// What holds of first columns alone, or of frequencies and leaves as much as there was (within
// the bound of an arithmetic that is not the file's), explains nothing.
void leave_nothings(const RotationObservation& observation, RotationExplanations& hypotheses) {
  const Fit start = observation.measure(observation.start());
  const bool nearly_holds = start.share > 0.99 && start.residual > 0;
  // Far out the bounds of fast pairs hold nothing; what moves frequencies or positions must bring
  // cells nearer.
  const auto is_of_bounds = [](const Reason& reason) {
    return reason.cause == Cause::fast_trigonometry ||
           reason.cause == Cause::single_step_reduction ||
           reason.cause == Cause::low_precision_positions ||
           row_of(reason.cause).tier == Tier::storage;
  };
  std::erase_if(hypotheses, [&](const auto& one) {
    return !observation.copy_agrees(one.hypothesis) ||
           (observation.has_rows() && !std::ranges::all_of(one.reasons, is_of_bounds) &&
            one.fit.mean > 0.95 * start.mean) ||
           (nearly_holds && !one.reasons.empty() &&
            one.hypothesis.frequencies != observation.truth().frequencies &&
            one.fit.residual >= 0.9 * start.residual);
  });
}

double shortfall(const RotationObservation& observation, const Fit& fit, const Fit& nearest) {
  constexpr double as_near = 1.1;
  if (observation.grain() < short_unit || !observation.has_rows()) return 0;
  // A few numbers that lie between two roundings fall either way.
  const double ties = observation.grain() / 50, ratio = (fit.mean + ties) / (nearest.mean + ties);
  return ratio > as_near ? 3 * std::log2(ratio) : 0;
}

void put_nearest_first(const RotationObservation& observation, RotationExplanations& hypotheses) {
  // What is free is held to nothing, and so is near to anything.
  const auto holds_all = [](const RotationHypothesis& one) {
    return one.free_pairs.empty() && !one.row;
  };
  Fit nearest{.mean = std::numeric_limits<double>::infinity()};
  for (const auto& one : hypotheses)
    if (holds_all(one.hypothesis) && one.fit.mean < nearest.mean) nearest = one.fit;
  if (std::isinf(nearest.mean)) return;
  std::ranges::stable_sort(hypotheses, {}, [&](const auto& one) {
    return one.cost + (holds_all(one.hypothesis) ? shortfall(observation, one.fit, nearest) : 0);
  });
}

void leave_pairings(RotationExplanations& hypotheses) {
  std::erase_if(hypotheses, [](const auto& one) {
    return std::ranges::find(one.reasons, Cause::wrong_pairing, &Reason::cause) !=
           one.reasons.end();
  });
}

}  // namespace pe
