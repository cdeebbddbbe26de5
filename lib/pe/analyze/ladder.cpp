// Frequencies of rotations and of tables made of waves.
#include "pe/analyze/ladder.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {
namespace {

void append(std::vector<LadderPair>& pairs, const std::vector<Real>& frequencies,
            const std::string& axis, Index extent = 0) {
  for (const Real& frequency : frequencies) pairs.push_back({frequency, frequency, axis, extent});
}

Index extent_of(const Coordinates& coordinates, std::size_t axis) {
  return coordinates.extents.empty() ? 0 : coordinates.extents[axis];
}

std::vector<LadderPair> pairs_of(const Rotation& rotation) {
  std::vector<LadderPair> pairs;
  if (!rotation.waves) return pairs;
  append(pairs, rotation.waves->frequencies(), "position");
  for (std::size_t j = 0; j < pairs.size() && j < rotation.unscaled.size(); ++j)
    pairs[j].unscaled = rotation.unscaled[j];
  for (const WavePart& part : rotation.parts)
    for (const std::optional<Place>& side : {part.layout.sine, part.layout.cosine})
      for (Index j = 0; side && j < part.waves.pairs(); ++j) {
        LadderPair& pair = pairs.at(static_cast<std::size_t>(side->offset + j * side->step));
        pair.axis = rotation.coordinates->axes[part.axis];
        pair.extent = extent_of(*rotation.coordinates, part.axis);
      }
  return pairs;
}

std::vector<LadderPair> pairs_of(const Table& table) {
  std::vector<LadderPair> pairs;
  if (table.waves) append(pairs, table.waves->first.frequencies(), "position");
  for (const WavePart& part : table.parts)
    append(pairs, part.waves.frequencies(), table.grid->axes[part.axis],
           extent_of(*table.grid, part.axis));
  return pairs;
}

}  // namespace

std::vector<LadderPair> ladder_of(const Effect& effect, const std::string& asker) {
  const std::vector<LadderPair> pairs = std::visit(
      Match{[](const Rotation& rotation) { return pairs_of(rotation); },
            [](const Table& table) { return pairs_of(table); },
            [](const Bias&) { return std::vector<LadderPair>{}; },
            [](const Relative& relative) {
              return relative.sinusoids ? pairs_of(*relative.sinusoids) : std::vector<LadderPair>{};
            }},
      effect);
  if (pairs.empty())
    throw UsageError(fmt::format("{} is of frequencies, and this {} is not made of any", asker,
                                 name_of(kind_of(effect))));
  return pairs;
}

std::vector<double> frequencies_of(const std::vector<LadderPair>& pairs) {
  std::vector<double> frequencies;
  for (const LadderPair& pair : pairs) frequencies.push_back(to_double(pair.frequency));
  return frequencies;
}

}  // namespace pe
