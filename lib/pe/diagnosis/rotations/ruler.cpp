// Which probes stand by equal steps.
#include "pe/diagnosis/rotations/ruler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace pe {
namespace {

// The probes of one head of one sequence: of the first of them with the fewest gaps.
std::vector<std::size_t> clearest_run(const RotationObservation& observation) {
  struct Seen {
    std::vector<std::size_t> probes;
    std::size_t known = 0;
  };
  const RotationReading& reading = observation.reading();
  const Index stride = reading.run > 0 ? reading.stride : 1, of_run = observation.slots() * stride;
  std::map<std::pair<Index, Index>, Seen> runs;
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    const Index row = observation.rows()[i];
    Seen& run = runs[{row / of_run, row % stride}];
    run.probes.push_back(i);
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      run.known += std::isfinite(observation.slack(i, j));
  }
  const Seen* best = &runs.begin()->second;
  for (const auto& [place, run] : runs)
    if (run.known > best->known) best = &run;
  return best->probes;
}

}  // namespace

Ruler ruler_of(const RotationObservation& observation, const RotationHypothesis& meant,
               std::size_t axis) {
  Ruler ruler;
  const std::vector<Index>& rows = observation.rows();
  if (meant.axis.empty() && observation.expected().listed.empty()) {
    for (const std::size_t i : clearest_run(observation))
      ruler.probes.emplace(observation.slot(rows[i]), i);
    if (observation.slots() > 1) {
      const double first = meant.position(observation.row_of_slot(0), 0),
                   step = meant.position(observation.row_of_slot(1), 0) - first;
      if (step != 0) ruler.origin = first / step;
    }
    return ruler;
  }
  std::map<double, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(meant.position(rows[i], axis), i);
  if (places.size() < 2) return ruler;
  // By the shortest step, from the first place that one leads on from: a picture leaves the time
  // where it is, and the text behind it goes on farther out.
  const auto step_from = [](auto place) { return std::next(place)->first - place->first; };
  auto origin = places.begin();
  for (auto place = places.begin(); std::next(place) != places.end(); ++place)
    if (step_from(place) < step_from(origin)) origin = place;
  // A step that turns several times around tells nothing: padding that a mask left out stands
  // half a million cells off.
  double fastest = 0;
  for (std::size_t j = 0; j < observation.pairs(); ++j)
    if (meant.axis_of(j) == axis) fastest = std::max(fastest, std::fabs(meant.frequencies[j]));
  if (step_from(origin) * fastest > 8 * std::numbers::pi) return ruler;
  ruler.step = step_from(origin);
  ruler.origin = origin->first;
  for (const auto& [place, probe] : places)
    if (const double steps = (place - origin->first) / ruler.step;
        std::fabs(steps - std::round(steps)) < 1e-6)
      ruler.probes.emplace(static_cast<Index>(std::round(steps)), probe);
  return ruler;
}

}  // namespace pe
