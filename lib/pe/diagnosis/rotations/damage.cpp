// The circle that turns lie on, and the rows that leave it.
#include "pe/diagnosis/rotations/damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/diagnosis/rotations/residuals.hpp"

namespace pe {

std::vector<Index> rows_off_circle(const RotationObservation& observation, const Dump& dump,
                                   const std::vector<Index>& rows) {
  const RotationReading& reading = observation.reading();
  const bool has_circle = (observation.has_values() || reading.is_vectors()) &&
                          !reading.is_one_sided() && !observation.truth().log_scale;
  if (!has_circle) return {};
  const std::size_t pairs = observation.pairs(), few = std::max<std::size_t>(2, pairs / 8);
  const double amplitude = observation.amplitude(),
               near = 8 * std::max(unit_roundoff(observation.dtype()), 0x1p-24) * amplitude;
  std::vector<double> cosine(pairs), sine(pairs), slack(pairs);
  std::vector<Index> off;
  for (const Index row : rows) {
    read_turns(dump, reading, row, 1, cosine.data(), sine.data(), slack.data());
    std::size_t count = 0, with_first = 0, zero = 0;
    const double first = std::hypot(cosine[0], sine[0]);
    for (std::size_t j = 0; j < pairs; ++j) {
      const double length = std::hypot(cosine[j], sine[j]);
      const bool is_off = std::fabs(length - amplitude) > near + 2 * slack[j];
      count += is_off;
      zero += is_off && (cosine[j] == 0 || sine[j] == 0);
      with_first += std::fabs(length - first) <= near + 2 * (slack[j] + slack[0]);
    }
    // A row on a circle of its own, as zeros are, has another cause, however few pairs it has.
    if (count == pairs && with_first == pairs && (pairs > 1 || first == 0)) continue;
    const bool is_foreign = reading.is_vectors() && 4 * count > 3 * pairs;
    const bool is_broken_off = !reading.is_vectors() && zero == count;  // zeros from a number on
    if (count > 0 && (count <= few || is_foreign || is_broken_off)) off.push_back(row);
  }
  return off;
}

std::vector<Index> damaged_probes(const RotationObservation& observation, const Dump& dump) {
  const std::vector<Index> off = rows_off_circle(observation, dump, observation.rows());
  return 16 * off.size() <= observation.rows().size() + 15 ? off : std::vector<Index>{};
}

bool are_damaged(const RotationObservation& observation, const Dump& dump,
                 const std::vector<Index>& refuted) {
  return !refuted.empty() && std::ssize(refuted) <= most_damaged_rows &&
         rows_off_circle(observation, dump, refuted).size() == refuted.size();
}

Reason damaged_rows(const std::vector<Index>& rows) {
  return {Cause::damaged_cells,
          rows.size() == 1
              ? fmt::format("row {} holds values that are none of these", rows.front())
              : fmt::format("{} rows beside hold values that are none of these, the first of them "
                            "row {}",
                            rows.size(), rows.front())};
}

std::optional<Reason> exchanged_rows(const RotationObservation& observation, const Dump& dump,
                                     const std::vector<Index>& wrong) {
  const RotationHypothesis start = observation.start();
  const auto count = std::ssize(wrong);
  if (count < 2 || count > most_damaged_rows || !observation.has_rows() || !start.axis.empty() ||
      observation.reading().slots() != observation.reading().rows)
    return {};
  std::vector<double> places = observation.implied_positions(start, wrong), own;
  for (const Index row : wrong) own.push_back(start.position(row, 0));
  for (double& place : places) place = std::round(place);
  if (!std::ranges::is_permutation(places, own)) return {};
  RotationHypothesis other = start;
  other.position = [before = start.position, wrong, places](Index row, std::size_t axis) {
    const auto found = std::ranges::find(wrong, row);
    return found == wrong.end() ? before(row, axis)
                                : places[static_cast<std::size_t>(found - wrong.begin())];
  };
  if (!disagreeing_rows(observation, dump, other).empty()) return {};
  std::string which;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    which += fmt::format("{}{} holds {:.15g}", i == 0 ? "" : ", ", wrong[i], places[i]);
  return Reason{Cause::rows_permuted, fmt::format("rows stand in another order: {}; the others are "
                                                  "right",
                                                  which)};
}

}  // namespace pe
