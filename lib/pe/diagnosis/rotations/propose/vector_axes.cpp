// Causes of vectors: positions along another axis, or running on from one to the next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/median.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/scales.hpp"

namespace pe {
namespace {

bool is_vectors(const RotationObservation& observation) {
  return observation.reading().is_vectors();
}

// The hypothesis with position first + index(row).
template <typename At>
RotationHypothesis placed(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis, At index) {
  RotationHypothesis other = hypothesis;
  const RotationTruth& truth = observation.truth();
  other.position = [first = observation.expected().first + truth.shift,
                    step = observation.expected().step, coordinate = truth.coordinate,
                    index](Index row, std::size_t axis) {
    const auto position = static_cast<double>(first + step * index(row));
    return coordinate ? coordinate(position, axis) : position;
  };
  return other;
}

// Coordinates of a grid know no place beyond it.
bool is_placed_anywhere(const RotationObservation& observation) {
  return observation.has_rows() && !observation.reading().extents.empty() &&
         !observation.truth().coordinate;
}

std::vector<std::size_t> other_axes(const RotationReading& reading) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis)
    if (axis != reading.axis && reading.extents[axis] > 1) axes.push_back(axis);
  return axes;
}

// p + index · positions, p · indices + index, and the place among all vectors.
RotationProposals run_on(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!is_placed_anywhere(observation)) return all;
  const RotationReading& reading = observation.reading();
  const std::vector<std::size_t> axes = other_axes(reading);
  for (const std::size_t axis : axes) {
    const std::string name = name_of_axis(reading, axis);
    all.push_back({placed(observation, hypothesis,
                          [reading, axis](Index row) {
                            return reading.along(row, reading.axis) +
                                   reading.along(row, axis) * reading.run;
                          }),
                   fmt::format("positions run on from one {} to the next", name)});
    all.push_back({placed(observation, hypothesis,
                          [reading, axis](Index row) {
                            return reading.along(row, reading.axis) * reading.extents[axis] +
                                   reading.along(row, axis);
                          }),
                   fmt::format("positions count every {} of a token", name)});
  }
  if (axes.size() > 1)
    all.push_back({placed(observation, hypothesis, [](Index row) { return row; }),
                   "positions count every vector, whatever its axis"});
  return all;
}

// Whether a row is the first along every axis but those of the positions and `axis`.
bool is_first_elsewhere(const RotationReading& reading, Index row, std::size_t axis) {
  for (std::size_t other = 0; other < reading.extents.size(); ++other)
    if (other != axis && other != reading.axis && reading.along(row, other) != 0) return false;
  return true;
}

// Whole distances between the position that a row's phases imply and its own, the middle one for
// each index along an axis; of the first along the others, which may be off, too, where some of
// these were looked at. 0 where none is known.
std::vector<double> distances_along(const RotationObservation& observation,
                                    const RotationHypothesis& hypothesis, std::size_t axis) {
  const RotationReading& reading = observation.reading();
  const std::vector<double> implied = observation.implied_positions(hypothesis);
  const auto extent = static_cast<std::size_t>(reading.extents[axis]);
  std::vector<std::vector<double>> seen(extent), of_first(extent);
  for (std::size_t i = 0; i < implied.size(); ++i) {
    const Index row = observation.rows()[i];
    const double off = implied[i] - hypothesis.position(row, 0);
    if (!std::isfinite(off)) continue;
    const auto at = static_cast<std::size_t>(reading.along(row, axis));
    seen[at].push_back(off);
    if (is_first_elsewhere(reading, row, axis)) of_first[at].push_back(off);
  }
  std::vector<double> distances;
  for (std::size_t i = 0; i < extent; ++i)
    distances.push_back(
        std::round(median_of(std::move(of_first[i].empty() ? seen[i] : of_first[i]))));
  return distances;
}

// "sequence 1 by +5, sequence 3 by -2".
std::string spell_distances(const std::vector<double>& distances, const std::string& name) {
  std::string text;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (distances[i] != 0)
      text += fmt::format("{}{} {} by {:+.15g}", text.empty() ? "" : ", ", name, i, distances[i]);
  return text;
}

bool is_uneven(const std::vector<double>& distances) {
  return std::ranges::any_of(distances, [&](double off) { return off != distances[0]; });
}

RotationHypothesis moved(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis, std::size_t axis,
                         const std::vector<double>& distances, double least) {
  RotationHypothesis other = hypothesis;
  other.position = [before = hypothesis.position, reading = observation.reading(), axis, distances,
                    least](Index row, std::size_t of) {
    const double off = distances[static_cast<std::size_t>(reading.along(row, axis))];
    const double here = before(row, of) + off;
    return off < 0 ? std::max(here, least) : here;
  };
  return other;
}

// Along the outermost of the other axes, or along those within: sequences and heads may be off at
// once, and each beside what is wrong along the positions.
enum class Axes { outer, inner };

template <Axes which>
RotationProposals late(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!is_placed_anywhere(observation)) return all;
  const std::vector<std::size_t> axes = other_axes(observation.reading());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if ((which == Axes::outer) != (i == 0)) continue;
    const std::size_t axis = axes[i];
    const auto distances = distances_along(observation, hypothesis, axis);
    if (!is_uneven(distances)) continue;
    constexpr double any = -HUGE_VAL;
    all.push_back({moved(observation, hypothesis, axis, distances, any),
                   "positions are off: " +
                       spell_distances(distances, name_of_axis(observation.reading(), axis)),
                   1.2});
  }
  return all;
}

// How often the turn of each entry along an axis was applied, the middle one of its rows; 1 where
// none is known.
std::vector<double> paces_along(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis, std::size_t axis) {
  const RotationReading& reading = observation.reading();
  const std::vector<double> implied = observation.implied_positions(hypothesis);
  std::vector<std::vector<double>> seen(static_cast<std::size_t>(reading.extents[axis]));
  for (std::size_t i = 0; i < implied.size(); ++i) {
    const Index row = observation.rows()[i];
    if (const double pace = implied[i] / hypothesis.position(row, 0); std::isfinite(pace))
      seen[static_cast<std::size_t>(reading.along(row, axis))].push_back(pace);
  }
  std::vector<double> paces;
  for (std::vector<double>& some : seen)
    paces.push_back(some.empty() ? 1 : std::round(median_of(std::move(some))));
  return paces;
}

RotationProposals turned_twice(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!is_placed_anywhere(observation)) return all;
  for (const std::size_t axis : other_axes(observation.reading())) {
    const std::vector<double> paces = paces_along(observation, hypothesis, axis);
    if (!is_uneven(paces) || std::ranges::any_of(paces, [](double pace) { return pace < 1; }))
      continue;
    std::string text;
    for (std::size_t i = 0; i < paces.size(); ++i)
      if (paces[i] != 1)
        text += fmt::format("{}{} {} {:.15g} times", text.empty() ? "" : ", ",
                            name_of_axis(observation.reading(), axis), i, paces[i]);
    RotationHypothesis other = hypothesis;
    other.position = [before = hypothesis.position, reading = observation.reading(), axis, paces](
                         Index row, std::size_t of) {
      return before(row, of) * paces[static_cast<std::size_t>(reading.along(row, axis))];
    };
    all.push_back({std::move(other), "the turn was applied more than once: " + text, 1.2});
  }
  return all;
}

// The turn applied once more, and the attention factor with it.
RotationProposals turned_again(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  const double m = observation.truth().magnitude;
  if (!is_vectors(observation) || m == 1) return {};
  RotationHypothesis other = hypothesis;
  other.cosine_magnitude = other.sine_magnitude = m * m;
  other.position = [before = hypothesis.position](Index row, std::size_t axis) {
    return 2 * before(row, axis);
  };
  return {{std::move(other),
           fmt::format("positions are doubled: the turn was applied twice, and the attention "
                       "factor {:.6g} with it",
                       m)}};
}

RotationProposals padded(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!is_placed_anywhere(observation)) return all;
  for (const std::size_t axis : other_axes(observation.reading())) {
    const auto distances = distances_along(observation, hypothesis, axis);
    if (!is_uneven(distances) || std::ranges::any_of(distances, [](double x) { return x > 0; }))
      continue;
    for (const double least : {0.0, 1.0})
      all.push_back(
          {moved(observation, hypothesis, axis, distances, least),
           fmt::format("positions are counted from behind the padding, which stands at "
                       "{}: {}",
                       least,
                       spell_distances(distances, name_of_axis(observation.reading(), axis))),
           1.15});
  }
  return all;
}

constexpr RotationProposer rows[] = {
    {Cause::positions_run_on, "position", run_on, may_be_by_angles},
    {Cause::left_padding, "position", padded, may_be_by_angles},
    {Cause::position_offset, "outer", late<Axes::outer>},
    {Cause::position_offset, "inner", late<Axes::inner>},
    {Cause::position_offset, "position", turned_elsewhere, may_be_by_angles},
    {Cause::position_doubled, "pace", turned_twice, may_be_by_angles},
    {Cause::position_doubled, "pace amplitude", turned_again, may_be_by_angles},
    {Cause::scale_missing, "scale", scale_taken_otherwise},  // or inverted, or squared
    {Cause::scale_center, "center", scale_elsewhere},
    {Cause::wrong_parameter, "scale", other_scale_base},
};

}  // namespace

std::span<const RotationProposer> vector_causes() { return rows; }

}  // namespace pe
