// Stretches of rows that stand elsewhere: from a place on, or block by block in another order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/positions.hpp"

namespace pe {
namespace {

// How far a whole position may seem to stand from itself: rounded angles know it by their mean.
double loose(const RotationObservation& observation, double position) {
  if (observation.reading().form != RotationReading::Form::angles) return 0.25;
  return 0.25 + 2 * unit_roundoff(observation.dtype()) * std::fabs(position) /
                    std::sqrt(static_cast<double>(observation.pairs()));
}

// The first place after `good` whose implied position parts from the meant one by other than
// `delta`, found by halving.
Index boundary(const RotationObservation& observation, const RotationHypothesis& hypothesis,
               Index good, Index bad, double delta) {
  while (bad - good > 1) {
    const Index middle = good + (bad - good) / 2, row = observation.row_of_slot(middle);
    const double implied = observation.implied_positions(hypothesis, std::vector{row})[0],
                 meant = hypothesis.position(row, 0);
    (std::fabs(implied - meant - delta) < loose(observation, meant) ? good : bad) = middle;
  }
  return bad;
}

// From a place on, positions are off by so much.
struct Jump {
  Index place;
  double off;
};

// Every change that the probes of the first run show; empty where one stretch is shorter than a
// shift would be, or where there are many.
std::vector<Jump> jumps_of(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis,
                           const std::vector<ProbeSpot>& all) {
  constexpr std::size_t most = 8;
  constexpr Index shortest = 3;
  std::vector<Jump> jumps{{0, std::round(all.front().implied - all.front().meant)}};
  Index last = 0;
  for (const ProbeSpot& one : all) {
    const Index place = observation.slot(one.row);
    if (one.row != observation.row_of_slot(place)) continue;
    while (std::fabs(one.implied - one.meant - jumps.back().off) >= loose(observation, one.meant)) {
      const Index at = boundary(observation, hypothesis, last, place, jumps.back().off),
                  row = observation.row_of_slot(at);
      const double off = std::round(observation.implied_positions(hypothesis, std::vector{row})[0] -
                                    hypothesis.position(row, 0));
      if (at - jumps.back().place < shortest || off == jumps.back().off || std::isnan(off) ||
          jumps.size() > most)
        return {};
      jumps.push_back({at, off});
      last = at;
    }
    last = place;
  }
  return jumps;
}

// "rows 0–11 hold 0–11, 12–23 hold 84–95": runs of neighbours.
std::string spell_runs(const std::vector<double>& places) {
  std::string runs;
  std::size_t count = 0;
  for (std::size_t start = 0, i = 1; i <= places.size(); ++i) {
    if (i < places.size() && places[i] == places[i - 1] + 1) continue;
    if (++count <= 6)
      runs += fmt::format("{}{}–{} hold {:g}–{:g}", runs.empty() ? "" : ", ", start, i - 1,
                          places[start], places[i - 1]);
    start = i;
  }
  return count > 6 ? fmt::format("{} and {} runs more", runs, count - 6) : runs;
}

}  // namespace

RotationProposals jump(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  if (all.empty()) return {};
  const std::vector<Jump> jumps = jumps_of(observation, hypothesis, all);
  if (jumps.size() < 2) return {};
  Proposal<RotationHypothesis> one{
      hypothesis, "row p holds position ",
      1 + 0.1 * static_cast<double>(jumps.size() - 1) + (jumps.front().off != 0 ? 0.1 : 0)};
  for (std::size_t i = jumps.size(); i-- > 0;) {
    const auto& [place, off] = jumps[i];
    if (off == 0 && i == 0) continue;
    one.sentence += fmt::format("{}p {} {:g}", i + 1 < jumps.size() ? ", " : "",
                                off < 0 ? "−" : "+", std::fabs(off));
    one.sentence += i == 0 ? " before"
                           : fmt::format(" from {:g} on",
                                         hypothesis.position(observation.row_of_slot(place), 0));
  }
  one.hypothesis.position = [before = hypothesis.position, jumps, reading = observation.reading()](
                                Index row, std::size_t axis) {
    const auto next = std::ranges::upper_bound(jumps, reading.slot(row), {}, &Jump::place);
    return before(row, axis) + std::prev(next)->off;
  };
  // One sequence behind another: each stretch starts where the first one does.
  const double first = hypothesis.position(observation.row_of_slot(0), 0) + jumps.front().off;
  if (std::ranges::all_of(jumps, [&](const Jump& jump) {
        return hypothesis.position(observation.row_of_slot(jump.place), 0) + jump.off == first;
      }))
    one.cause = Cause::position_reset;
  return {one};
}

// Blocks of rows that hold other blocks' positions: every place of the first run is asked where it
// stands.
RotationProposals permuted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  constexpr Index most = 1 << 18;
  if (!observation.has_rows() || observation.slots() > most || !hypothesis.axis.empty() ||
      hypothesis.frequencies != observation.truth().frequencies)
    return {};
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  const auto odd = std::ranges::count_if(
      all, [](const ProbeSpot& one) { return std::fabs(one.implied - one.meant) > 0.25; });
  if (all.size() < observation.rows().size() * 9 / 10 || odd < 2) return {};
  const auto inside = [&](const ProbeSpot& one) {
    return one.implied > -0.5 &&
           one.implied < static_cast<double>(observation.expected().position(observation.slots()));
  };
  if (!std::ranges::all_of(all, inside)) return {};
  std::vector<Index> rows;
  for (Index slot = 0; slot < observation.slots(); ++slot)
    rows.push_back(observation.row_of_slot(slot));
  auto places = std::make_shared<std::vector<double>>();
  for (std::size_t first = 0; first < rows.size(); first += 1024) {
    const std::vector<Index> block(
        rows.begin() + static_cast<std::ptrdiff_t>(first),
        rows.begin() + static_cast<std::ptrdiff_t>(std::min(first + 1024, rows.size())));
    std::ranges::transform(observation.implied_positions(hypothesis, block),
                           std::back_inserter(*places), [](double p) { return std::round(p); });
  }
  std::vector<double> sorted = *places;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return {};
  RotationHypothesis other = hypothesis;
  other.position = [places, reading = observation.reading()](Index row, std::size_t) {
    return (*places)[static_cast<std::size_t>(reading.slot(row))];
  };
  return {{other, "rows stand in another order: " + spell_runs(*places), 1.15}};
}

}  // namespace pe
