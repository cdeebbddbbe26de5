// Wrong cells that no formula moves: few, and not along diagonals.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/biases/residuals.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {

std::string place_of(const BiasShape& shape, const Spot& spot) {
  const Index plane = spot.run / shape.queries, head = plane % shape.heads;
  const std::string batch = shape.batch > 1 ? fmt::format("batch {}, ", plane / shape.heads) : "";
  if (shape.slopes) return fmt::format("head {}", head);
  return fmt::format("{}head {}, query {}, key {}", batch, head,
                     shape.first_query + spot.run % shape.queries, shape.first_key + spot.index);
}

namespace {

// Cells on the diagonal of a wrong one, of the same head, that are wrong as well. A formula that is
// wrong is wrong along diagonals; damage is not.
bool is_alone(const BiasObservation& observation, const BiasHypothesis& hypothesis,
              const Spot& spot) {
  const BiasShape& shape = observation.shape;
  const Index plane = spot.run / shape.queries, query = spot.run % shape.queries;
  Index total = 0, wrong = 0;
  const Index step = std::max<Index>(1, shape.queries / 512);
  for (Index q = query % step; q < shape.queries; q += step) {
    const Index key = spot.index + q - query;
    if (key < 0 || key >= shape.keys || observation.mask->hides(plane, q, key)) continue;
    BiasObservation one = observation;
    BiasObservation::Probe probe{.plane = plane,
                                 .query = shape.first_query + q,
                                 .runs = {{shape.first_key + key, 1, 1, 0}},
                                 .got = {0}};
    observation.array->read((plane * shape.queries + q) * shape.keys + key, 1, probe.got.data());
    one.probes = {std::move(probe)};
    ++total;
    wrong += !one.agrees(hypothesis);
  }
  return total < 4 || 2 * wrong < total;
}

}  // namespace

std::optional<Reason> damage(const BiasObservation& observation, const Stored& array) {
  if (observation.shape.slopes || observation.shape.heads > observation.bias->heads) return {};
  for (const Equivalent& one : equivalents(observation)) {
    if (one.hypothesis.constant == BiasHypothesis::Constant::any) continue;
    const Tally residuals = bias_pass(observation, array, one.hypothesis).residuals;
    if (!is_few(residuals)) continue;
    if (!is_alone(observation, one.hypothesis, *residuals.first_wrong()) ||
        !is_alone(observation, one.hypothesis, *residuals.worst_spot()))
      continue;
    return Reason{
        Cause::damaged_cells,
        fmt::format("{} of {} cells, the first at {}", residuals.beyond(), residuals.cells(),
                    place_of(observation.shape, *residuals.first_wrong()))};
  }
  return {};
}

}  // namespace pe
