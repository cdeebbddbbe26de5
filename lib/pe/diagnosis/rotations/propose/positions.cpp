// Causes of position: the place that a row stands for, found from its phases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {
namespace {

// A probe whose phases say where it stands.
struct Seen {
  Index row;
  double meant, implied;
};

std::vector<Seen> seen(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  std::vector<Seen> all;
  if (!observation.has_rows() || !hypothesis.axis.empty()) return all;
  const std::vector<double> implied = observation.implied_positions(hypothesis);
  for (std::size_t i = 0; i < implied.size(); ++i)
    if (!std::isnan(implied[i]))
      all.push_back(
          {observation.rows()[i], hypothesis.position(observation.rows()[i], 0), implied[i]});
  return all;
}

template <typename Value>
double most_frequent(const std::vector<Seen>& all, Value value, double* share) {
  std::map<double, std::size_t> counts;
  for (const Seen& one : all)
    if (const double v = value(one); std::isfinite(v)) ++counts[v];
  const auto best =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  *share = counts.empty() ? 0 : static_cast<double>(best->second) / static_cast<double>(all.size());
  return counts.empty() ? 0 : best->first;
}

using Map = std::function<double(double position)>;

Proposal<RotationHypothesis> mapped(const RotationHypothesis& hypothesis, const Map& map,
                                    std::string sentence, double cost = 1) {
  RotationHypothesis other = hypothesis;
  other.position = [before = hypothesis.position, map](Index row, std::size_t axis) {
    return map(before(row, axis));
  };
  return {other, std::move(sentence), cost};
}

// Where positions are whole numbers they are found to a quarter; halves are met by engines that
// take the middle of a token.
double nearest_half(double x) { return std::round(2 * x) / 2; }

RotationProposals offset(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  double share;
  const std::vector<Seen> all = seen(observation, hypothesis);
  const double k = most_frequent(
      all, [](const Seen& one) { return nearest_half(one.implied - one.meant); }, &share);
  const bool at_zero =
      std::ranges::all_of(all, [k](const Seen& one) { return one.meant + k == 0; });
  if (all.empty() || k == 0 || at_zero) return {};  // rows that stand at 0 are not turned
  return {mapped(
      hypothesis, [k](double p) { return p + k; },
      fmt::format("row p holds position p {} {:g}", k < 0 ? "−" : "+", std::fabs(k)))};
}

RotationProposals constant(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  double share;
  const std::vector<Seen> all = seen(observation, hypothesis);
  const double c = most_frequent(
      all, [](const Seen& one) { return nearest_half(one.implied); }, &share);
  if (all.empty() || share < 0.5 || c == 0) return {};
  return {mapped(
      hypothesis, [c](double) { return c; }, fmt::format("every row holds position {:g}", c))};
}

RotationProposals not_rotated(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  if (!observation.has_rows()) return {};
  Proposal<RotationHypothesis> one{hypothesis, "no row is turned: all stand at position 0"};
  one.hypothesis.row = [](Index) { return RotationHypothesis::Row::still; };
  return {one};
}

RotationProposals doubled(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  double share;
  const std::vector<Seen> all = seen(observation, hypothesis);
  const double m = most_frequent(
      all,
      [](const Seen& one) { return one.meant > 0 ? std::round(one.implied / one.meant) : NAN; },
      &share);
  RotationProposals some;
  for (const double times : {2.0, m})
    if (times > 1 && (some.empty() || times != 2) && times < 1e6)
      some.push_back(mapped(
          hypothesis, [times](double p) { return p * times; },
          times == 2 ? "positions are doubled: the turn was applied twice"
                     : fmt::format("positions are multiplied by {:g}", times)));
  return some;
}

RotationProposals floored(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  RotationProposals some;
  if (!observation.has_rows() || !hypothesis.axis.empty()) return some;
  const std::vector<Seen> all = seen(observation, hypothesis);
  double share;
  std::vector<double> divisors{2, 4, 8, 16, 32};
  const double m = most_frequent(
      all,
      [](const Seen& one) { return one.implied > 4 ? std::round(one.meant / one.implied) : NAN; },
      &share);
  if (m > 1 && m < 4096 && std::ranges::find(divisors, m) == divisors.end()) divisors.push_back(m);
  for (const double s : divisors)
    some.push_back(mapped(
        hypothesis, [s](double p) { return std::floor(p / s); },
        fmt::format("positions are divided by {:g} and rounded down: {:g} neighbours share a row",
                    s, s)));
  return some;
}

// The first place after `good` whose implied position parts from the meant one by other than
// `delta`, found by halving.
Index boundary(const RotationObservation& observation, const RotationHypothesis& hypothesis,
               Index good, Index bad, double delta) {
  while (bad - good > 1) {
    const Index middle = good + (bad - good) / 2, row = observation.row_of_slot(middle);
    const double implied = observation.implied_positions(hypothesis, std::vector{row})[0];
    (std::fabs(implied - hypothesis.position(row, 0) - delta) < 0.25 ? good : bad) = middle;
  }
  return bad;
}

RotationProposals wrapped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis, bool vectors) {
  if (!observation.has_rows() || (observation.reading().run > 0) != vectors) return {};
  const std::vector<Seen> all = seen(observation, hypothesis);
  Index length = 0;  // greatest common divisor of what rows lack
  for (const Seen& one : all)
    if (const auto lack = whole<Index>(std::round(one.meant - one.implied)); lack && *lack >= 1)
      length = std::gcd(length, *lack);
  if (length < 2) return {};
  const auto l = static_cast<double>(length);
  return {mapped(
      hypothesis, [l](double p) { return p - l * std::floor(p / l); },
      vectors
          ? fmt::format("positions start again from 0 every {} rows", length)
          : fmt::format("rows repeat from {} on: row p holds position p mod {}", length, length))};
}

RotationProposals wrapped_rows(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  return wrapped(observation, hypothesis, false);
}
RotationProposals reset(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  return wrapped(observation, hypothesis, true);
}

RotationProposals clamped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  const std::vector<Seen> all = seen(observation, hypothesis);
  if (all.empty()) return {};
  double last = -1;
  for (const Seen& one : all) last = std::max(last, std::round(one.implied));
  if (last < 1) return {};
  return {mapped(
      hypothesis, [last](double p) { return std::min(p, last); },
      fmt::format("every row after {:g} repeats it", last))};
}

// From a place on, positions are off by so much.
struct Jump {
  Index place;
  double off;
};

// Every change that the probes of the first run show; empty where one stretch is shorter than a
// shift would be, or where there are many.
std::vector<Jump> jumps_of(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis, const std::vector<Seen>& all) {
  constexpr std::size_t most = 8;
  constexpr Index shortest = 3;
  std::vector<Jump> jumps{{0, std::round(all.front().implied - all.front().meant)}};
  Index last = 0;
  for (const Seen& one : all) {
    const Index place = observation.slot(one.row);
    if (one.row != observation.row_of_slot(place)) continue;
    while (std::fabs(one.implied - one.meant - jumps.back().off) >= 0.25) {
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

RotationProposals jump(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  const std::vector<Seen> all = seen(observation, hypothesis);
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
  one.hypothesis.position = [before = hypothesis.position, jumps, run = observation.reading().run,
                             stride = observation.reading().stride](Index row, std::size_t axis) {
    const Index place = run > 0 ? row / stride % run : row;
    const auto next = std::ranges::upper_bound(jumps, place, {}, &Jump::place);
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

RotationProposals left_padding(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  double share;
  const std::vector<Seen> all = seen(observation, hypothesis);
  const double k = -most_frequent(
      all,
      [](const Seen& one) { return one.implied > 0.5 ? std::round(one.implied - one.meant) : NAN; },
      &share);
  if (all.empty() || k < 1) return {};
  RotationProposals some;
  for (const double pad : {0.0, 1.0})
    some.push_back(mapped(
        hypothesis, [=](double p) { return p < k ? pad : p - k; },
        fmt::format(
            "the first {:g} rows are padding (position {:g}); positions are counted from behind it",
            k, pad)));
  return some;
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

// Blocks of rows that hold other blocks' positions: every place of the first run is asked where it
// stands.
RotationProposals permuted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  constexpr Index most = 1 << 18;
  if (!observation.has_rows() || observation.slots() > most || !hypothesis.axis.empty() ||
      hypothesis.frequencies != observation.truth().frequencies)
    return {};
  const std::vector<Seen> all = seen(observation, hypothesis);
  const auto odd = std::ranges::count_if(
      all, [](const Seen& one) { return std::fabs(one.implied - one.meant) > 0.25; });
  if (all.size() < observation.rows().size() * 9 / 10 || odd < 2) return {};
  const auto inside = [&](const Seen& one) {
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
  other.position = [places, run = observation.reading().run, stride = observation.reading().stride](
                       Index row, std::size_t) {
    return (*places)[static_cast<std::size_t>(run > 0 ? row / stride % run : row)];
  };
  return {{other, "rows stand in another order: " + spell_runs(*places), 1.15}};
}

constexpr RotationProposer rows[] = {
    {Cause::position_offset, "position", offset},
    {Cause::not_rotated, "position", not_rotated},
    {Cause::position_constant, "position", constant},
    {Cause::position_doubled, "position", doubled},
    {Cause::position_floored, "position", floored},
    {Cause::rows_clamped, "position", clamped},
    {Cause::rows_wrapped, "position", wrapped_rows},
    {Cause::position_reset, "position", reset},
    {Cause::left_padding, "position", left_padding},
    {Cause::position_jump, "position", jump},
    {Cause::rows_permuted, "position", permuted},
};

}  // namespace

std::span<const RotationProposer> position_causes() { return rows; }

}  // namespace pe
