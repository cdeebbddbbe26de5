// Causes of masks: which part of a grid was counted.
#include <fmt/format.h>

#include <array>

#include "pe/diagnosis/rotations/propose/coordinates.hpp"

namespace pe {
namespace {

// How far the first cells of each axis move on from one to the next, the other axis at 0: rows and
// columns of the image, as long as its pairs show.
std::array<Index, 2> counted_cells(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis,
                                   const std::vector<Index>& extents) {
  std::array<Index, 2> counted{1, 1};
  std::array<std::vector<double>, 2> last;  // cosines and sines of an axis's pairs, one cell before
  observation.scan([&](Index row, const double* cosine, const double* sine) {
    if (row >= extents[0] * extents[1]) return false;
    for (const std::size_t axis : {0u, 1u}) {
      const Index own = axis == 0 ? row / extents[1] : row % extents[1],
                  other = axis == 0 ? row % extents[1] : row / extents[1];
      if (other != 0) continue;
      std::vector<double> here;
      for (std::size_t j = 0; j < observation.pairs(); ++j)
        if (hypothesis.axis_of(j) == axis) here.insert(here.end(), {cosine[j], sine[j]});
      if (own == counted[axis] && here != last[axis]) ++counted[axis];
      last[axis] = std::move(here);
    }
    return true;
  });
  return counted;
}

}  // namespace

RotationProposals other_mask(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  const Coordinates* grid = coordinates_of(observation.expected().effect);
  if (!grid || grid->extents.size() != 2 || !observation.has_values() ||
      hypothesis.changes.contains("valid"))
    return {};
  // Conventions that count no mask refuse every part but the whole.
  if (!remade(observation, hypothesis, {{"valid", std::string("1x1")}})) return {};
  const auto [rows, columns] = counted_cells(observation, hypothesis, grid->extents);
  const std::string valid = fmt::format("{}x{}", rows, columns);
  const std::string whole = fmt::format("{}x{}", grid->extents[0], grid->extents[1]);
  const std::string asked = word_of(observation, hypothesis, "valid");
  if (valid == (asked.empty() ? whole : asked)) return {};
  auto other = remade(observation, hypothesis, {{"valid", valid}});
  if (!other) return {};
  return {{std::move(*other),
           fmt::format("the image fills {} cells of the grid, where {} are meant", valid,
                       asked.empty() ? whole + " (all)" : meant(observation, "valid"))}};
}

}  // namespace pe
