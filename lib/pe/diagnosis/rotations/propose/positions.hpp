// Places: the positions that the probes' phases say they stand at, beside those that are meant.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// A probe whose phases say where it stands.
struct ProbeSpot {
  Index row;
  double meant, implied;
};

std::vector<ProbeSpot> places_of(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis);

/// The value that most of them have, and how many of all do: NaN does not count.
template <typename Value>
double most_frequent(const std::vector<ProbeSpot>& all, Value value, double* share) {
  std::map<double, std::size_t> counts;
  for (const ProbeSpot& one : all)
    if (const double v = value(one); std::isfinite(v)) ++counts[v];
  const auto best =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  *share = counts.empty() ? 0 : static_cast<double>(best->second) / static_cast<double>(all.size());
  return counts.empty() ? 0 : best->first;
}

/// "0–11 hold 0–11, 12–23 hold 84–95, 24 holds 7": runs of neighbours, what is NaN left out.
std::string spell_runs(const std::vector<double>& places);

using PositionMap = std::function<double(double position)>;

/// The hypothesis with another position for each that it has.
Proposal<RotationHypothesis> mapped(const RotationHypothesis& hypothesis, const PositionMap& map,
                                    std::string sentence, double cost = 1);

/// Every row that far on.
Proposal<RotationHypothesis> moved_by(const RotationHypothesis& hypothesis, double by, double cost);

// Rows of position_causes(): positions that are multiplied or divided, those that part from the
// meant ones from a place on, and blocks of rows in another order.
RotationProposals doubled(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis);
RotationProposals floored(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis);
RotationProposals jump(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis);
RotationProposals listed_otherwise(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis);
RotationProposals permuted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis);

}  // namespace pe
