// Adding up what threads have seen.
#include "pe/diagnosis/rotations/turn_tally.hpp"

#include <algorithm>
#include <bit>

namespace pe {

void suspect(RotationResiduals& residuals, Index row) {
  if ((residuals.suspects.size() < 6 || row % 509 == 0) && residuals.suspects.size() < 24)
    residuals.suspects.push_back(row);
}

void keep(TurnTally& part, const RotationObservation& observation, Index row, double worst) {
  double& bin = part.curve[static_cast<std::size_t>(
      std::bit_width(static_cast<std::uint64_t>(observation.slot(row))))];
  bin = std::max(bin, worst);
}

void merge(RotationResiduals& into, const TurnTally& part) {
  const RotationResiduals& from = part.residuals;
  into.cells += from.cells;
  into.unseen += from.unseen;
  into.turning += from.turning;
  into.rounded_otherwise += from.rounded_otherwise;
  into.not_finite += from.not_finite;
  into.copies_differ += from.copies_differ;
  into.copy_cells += from.copy_cells;
  into.beyond += from.beyond;
  into.rows_beyond += from.rows_beyond;
  into.in_double = into.in_double && from.in_double;
  into.ulps = std::max(into.ulps, from.ulps);
  if (!into.first_wrong) into.first_wrong = from.first_wrong;
  if (!into.first_not_finite) into.first_not_finite = from.first_not_finite;
  if (into.first_copy < 0) into.first_copy = from.first_copy;
  if (into.worst_cell.place.empty() || from.worst > into.worst) {
    into.worst = from.worst;
    into.bound = from.bound;
    into.worst_cell = from.worst_cell;
  }
  into.suspects.insert(into.suspects.end(), from.suspects.begin(), from.suspects.end());
}

std::vector<Diagnosis::Point> curve_of(const RotationObservation& observation,
                                       const std::vector<TurnTally>& parts) {
  std::vector<Diagnosis::Point> curve;
  std::array<double, 64> worst = parts.front().curve;
  for (const TurnTally& part : parts)
    for (std::size_t i = 0; i < worst.size(); ++i) worst[i] = std::max(worst[i], part.curve[i]);
  for (std::size_t i = 0; i < worst.size(); ++i)
    if (worst[i] >= 0)
      curve.push_back({observation.expected().position(std::min<std::int64_t>(
                           i == 0 ? 0 : (std::int64_t{1} << i) - 1, observation.slots() - 1)),
                       worst[i]});
  return curve;
}

}  // namespace pe
