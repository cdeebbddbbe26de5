// Channels that pass through, and columns whose other side was cut.
#include "pe/diagnosis/rotations/unpaired.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/rotations/rest.hpp"

namespace pe {
namespace {

// How far the row stands out on any axis.
double farthest_place(const RotationHypothesis& start, Index row) {
  double far = 0;
  for (std::size_t axis = 0; axis < start.axes(); ++axis)
    far = std::max(far, std::fabs(start.position(row, axis)));
  return far;
}

}  // namespace

void look_at_rest(const RotationObservation& observation, const Dump& dump, Index first,
                  Index count, RotationResiduals& residuals) {
  const RotationReading& reading = observation.reading();
  if (reading.is_vectors()) residuals.cells += count * (reading.width - 2 * reading.pairs);
  for (const RestCell& cell : changed_rest(dump, reading, first, count)) {
    ++residuals.beyond;
    suspect(residuals, cell.row);
    if (!residuals.first_wrong)
      residuals.first_wrong =
          Cell{fmt::format("{}, channel {}", spell_row(observation, cell.row), cell.channel),
               cell.before, cell.after};
  }
}

void look_at_lone(const RotationObservation& observation, const Dump& dump, const ExactTruth& truth,
                  Index first, Index count, TurnTally& part) {
  RotationResiduals& residuals = part.residuals;
  const std::vector<Index>& columns = observation.reading().lone;
  if (columns.empty() || columns.size() != observation.truth().lone.size()) return;
  const std::vector<double> meant = truth.lone(first, count);
  const Index width = observation.reading().width;
  const Spacing spacing(observation.dtype());
  std::vector<double> row(static_cast<std::size_t>(width));
  const double fastest = *std::ranges::max_element(observation.truth().frequencies),
               ulps = *std::ranges::max_element(observation.truth().growth);
  const RotationHypothesis start = observation.start();
  for (Index r = 0; r < count; ++r) {
    dump.arrays[observation.reading().cosine.array].read((first + r) * width, width, row.data());
    const double angle = farthest_place(start, first + r) * fastest;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double got = row[static_cast<std::size_t>(columns[k])],
                   want = meant[static_cast<std::size_t>(r) * columns.size() + k],
                   off = std::fabs(got - want),
                   bound = want == 0
                               ? 0
                               : std::min(1.0, (ulps * angle + 3) * 0x1p-24) + spacing.at(want);
      if (dump.has_gaps && !std::isfinite(got)) continue;
      ++residuals.cells;
      if (got == want) continue;
      ++residuals.rounded_otherwise;
      residuals.ulps =
          std::max(residuals.ulps,
                   off / (std::isfinite(got) ? std::max(spacing.at(want), spacing.at(got)) : 1));
      const std::string place =
          fmt::format("{}, column {}", spell_row(observation, first + r), columns[k]);
      if (part.worst_row < 0 || off > residuals.worst) {
        residuals.worst = off;
        residuals.bound = bound;
        residuals.worst_cell = {place, want, got};
        part.worst_row = first + r;
      }
      keep(part, observation, first + r, off);
      if (off <= bound) continue;
      ++residuals.beyond;
      suspect(residuals, first + r);
      if (!residuals.first_wrong) residuals.first_wrong = Cell{place, want, got};
    }
  }
}

}  // namespace pe
