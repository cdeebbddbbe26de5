// Wrong cells that no formula moves: few, and not along diagonals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/biases/residuals.hpp"
#include "pe/diagnosis/biases/trained.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/stripes.hpp"

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
    probe.hidden = {0};
    one.probes = {std::move(probe)};
    ++total;
    wrong += !one.agrees(hypothesis);
  }
  return total < 4 || 2 * wrong < total;
}

// Whether a cell is another number than most of its diagonal, which are one.
bool is_foreign(const BiasObservation& observation, Index plane, Index query, Index key,
                double got) {
  constexpr Index looked = 8;
  const BiasShape& shape = observation.shape;
  const Index first = std::max<Index>(0, query - key),
              end = std::min(shape.queries, shape.keys + query - key),
              step = std::max<Index>(1, (end - first) / looked);
  std::vector<double> others;
  for (Index q = first; q < end; q += step) {
    if (q == query) continue;
    double value = 0;
    observation.array->read((plane * shape.queries + q) * shape.keys + key + q - query, 1, &value);
    if (std::isfinite(value) && !observation.mask->holds(value)) others.push_back(value);
  }
  if (others.size() < 3) return false;
  const double middle = median_of(others),
               near = 8 * rounding_error(std::max(std::fabs(middle), std::fabs(got)),
                                         observation.dtype);
  const auto same = std::ranges::count_if(
      others, [&](double value) { return std::fabs(value - middle) <= near; });
  return std::fabs(got - middle) > near && 4 * same > 3 * std::ssize(others);
}

}  // namespace

std::optional<BiasObservation> without_foreign_cells(const BiasObservation& observation) {
  constexpr int most = 16;
  BiasObservation rest = observation;
  rest.has_gaps = true;
  int foreign = 0;
  for (BiasObservation::Probe& probe : rest.probes) {
    std::size_t at = 0;
    for (const PositionRange& run : probe.runs)
      for (Index i = 0; i < run.count; ++i, ++at) {
        if (!std::isfinite(probe.got[at]) || observation.mask->holds(probe.got[at]) ||
            !is_foreign(observation, probe.plane, probe.query - observation.shape.first_query,
                        run.at(i) - observation.shape.first_key, probe.got[at]))
          continue;
        probe.got[at] = std::numeric_limits<double>::quiet_NaN();
        if (++foreign > most) return {};
      }
  }
  return foreign > 0 ? std::optional(std::move(rest)) : std::nullopt;
}

std::optional<Reason> damage_beside(const BiasObservation& observation, const Stored& array,
                                    const BiasHypothesis& hypothesis) {
  const Tally residuals = bias_pass(observation, array, hypothesis, array.size() / 20).residuals;
  if (!is_few(residuals) || !is_alone(observation, hypothesis, *residuals.first_wrong()) ||
      !is_alone(observation, hypothesis, *residuals.worst_spot()))
    return {};
  return Reason{
      Cause::damaged_cells,
      fmt::format("{} of {} cells, the first at {}", residuals.beyond(), residuals.cells(),
                  place_of(observation.shape, *residuals.first_wrong()))};
}

namespace {

// Heads, queries or keys that are wrong throughout.
std::optional<Reason> wrong_stripes(const BiasObservation& observation, const Stored& array,
                                    const BiasHypothesis& hypothesis) {
  const BiasShape& shape = observation.shape;
  StripeTally stripes(
      {{"batch", "batches", shape.batch, 0, Cause::bias_zero},
       {"head", "heads", shape.heads, 0, Cause::bias_zero},
       {"query", "queries", shape.queries, shape.first_query, Cause::bias_zero},
       {"key", "keys", shape.keys, shape.first_key, Cause::bias_zero}},
      {Cause::bias_sign, Cause::bias_scaled,
       has_given_weights(*observation.expected) ? Cause::other_weights : Cause::damaged_cells});
  std::vector<double> got(static_cast<std::size_t>(shape.keys)), truth(got.size());
  for (Index row = 0; row < shape.rows(); ++row) {
    const Index plane = row / shape.queries, query = shape.first_query + row % shape.queries;
    array.read(row * shape.keys, shape.keys, got.data());
    observation.evaluate(hypothesis, plane, query, shape.first_key, shape.keys, truth.data());
    for (Index k = 0; k < shape.keys; ++k) {
      const double value = got[static_cast<std::size_t>(k)],
                   meant = truth[static_cast<std::size_t>(k)];
      const std::int64_t key = shape.first_key + k;
      if (observation.is_later(query, key) || observation.is_hidden(plane, query, key) ||
          observation.is_gap(value) || !std::isfinite(meant))
        continue;
      const double allowed = observation.allowed(hypothesis, plane, meant, value, 0,
                                                 static_cast<double>(std::abs(query - key)));
      if (!stripes.add(std::array{plane / shape.heads, plane % shape.heads, row % shape.queries, k},
                       value, meant, allowed))
        return {};
    }
  }
  return stripes.reason();
}

// The first answer beside what is meant, or what attention cannot tell from it.
std::optional<Reason> beside_equivalents(const BiasObservation& observation, const Stored& array,
                                         std::optional<Reason> (*ask)(const BiasObservation&,
                                                                      const Stored&,
                                                                      const BiasHypothesis&)) {
  if (observation.shape.slopes || observation.shape.heads > observation.bias->heads) return {};
  for (const Equivalent& one : equivalents(observation)) {
    if (one.hypothesis.constant == BiasHypothesis::Constant::any) continue;
    if (auto reason = ask(observation, array, one.hypothesis)) return reason;
  }
  return {};
}

}  // namespace

std::optional<Reason> stripes(const BiasObservation& observation, const Stored& array) {
  return beside_equivalents(observation, array, wrong_stripes);
}

std::optional<Reason> damage(const BiasObservation& observation, const Stored& array) {
  return beside_equivalents(observation, array, damage_beside);
}

}  // namespace pe
