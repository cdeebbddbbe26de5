// Causes of axes: which coordinate a pair turns with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/base.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"
#include "pe/diagnosis/rotations/propose/splits.hpp"
#include "pe/model/coordinates.hpp"

namespace pe {
namespace {

// Pairs of axis a, or its table, turn with the coordinate of axis to[a].
RotationHypothesis exchanged(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis, std::vector<std::size_t> to) {
  RotationHypothesis other = hypothesis;
  if (!observation.reading().per_axis && !hypothesis.axis.empty()) {
    for (std::size_t& axis : other.axis) axis = to[axis];
    return other;
  }
  if (!observation.reading().per_axis) {
    other.position = [before = hypothesis.position, to = std::move(to)](
                         Index row, std::size_t axis) { return before(row, to[axis]); };
    return other;
  }
  other.position = [before = hypothesis.position, run = observation.reading().run,
                    to = std::move(to)](Index row, std::size_t axis) {
    return before(static_cast<Index>(to[static_cast<std::size_t>(row / run)]) * run + row % run,
                  axis);
  };
  return other;
}

std::string spell_order(const std::vector<std::size_t>& to) {
  std::vector<std::size_t> moved;
  for (std::size_t axis = 0; axis < to.size(); ++axis)
    if (to[axis] != axis) moved.push_back(axis);
  if (moved.size() == 2)
    return fmt::format(
        "axes {} and {} are exchanged: what turns with one stands where what turns "
        "with the other is meant",
        moved[0], moved[1]);
  std::vector<std::size_t> own(to.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  return fmt::format("axes {} stand in the order {}", fmt::join(own, ", "), fmt::join(to, ", "));
}

// Coordinates that are divided by their axis's extent have it in the frequencies: pair k of an axis
// has those of pair k of the axis that stands in its place. Empty where axes differ otherwise.
std::vector<double> frequencies_exchanged(const RotationHypothesis& hypothesis,
                                          const std::vector<std::size_t>& to) {
  if (hypothesis.axis.empty()) return {};
  std::vector<std::vector<double>> of(to.size());
  for (std::size_t j = 0; j < hypothesis.axis.size(); ++j)
    of[hypothesis.axis[j]].push_back(hypothesis.frequencies[j]);
  for (const std::vector<double>& axis : of)
    for (std::size_t k = 0; k < axis.size(); ++k)
      if (axis.size() != of[0].size() ||
          std::fabs(axis[k] * of[0][0] - of[0][k] * axis[0]) > 1e-9 * std::fabs(of[0][k] * axis[0]))
        return {};
  std::vector<double> frequencies;
  std::vector<std::size_t> next(to.size());
  for (const std::size_t axis : hypothesis.axis) frequencies.push_back(of[to[axis]][next[axis]++]);
  return frequencies == hypothesis.frequencies ? std::vector<double>{} : frequencies;
}

RotationProposals swapped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  RotationProposals all;
  std::vector<std::size_t> to(axes_of(observation, hypothesis));
  std::iota(to.begin(), to.end(), std::size_t{0});
  constexpr std::size_t most = 4;
  while (to.size() <= most && std::ranges::next_permutation(to).found)
    for (const bool normalised : {false, true}) {
      auto frequencies = normalised ? frequencies_exchanged(hypothesis, to) : std::vector<double>{};
      if (normalised && frequencies.empty()) continue;
      all.push_back({exchanged(observation, hypothesis, to), spell_order(to)});
      if (normalised) all.back().hypothesis.frequencies = std::move(frequencies);
    }
  return all;
}

// A grid of as many rows as there are to be columns, and the reverse; of frames, rows and columns
// any other order.
RotationProposals turned_over(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  const auto& entries = observation.expected().parameters.entries();
  const auto grid = std::ranges::find(entries, "grid", &Parameters::Entry::name);
  if (grid == entries.end()) return {};
  const auto axes = static_cast<std::size_t>(1 + std::ranges::count(grid->text, 'x'));
  const std::vector<Index> extents = parse_grid(grid->text, axes, "grid");
  std::vector<Index> order = extents;
  std::ranges::sort(order);
  RotationProposals all;
  do {
    if (order == extents) continue;
    const std::string other = fmt::format("{}", fmt::join(order, "x"));
    if (const auto made = remade(observation, hypothesis, {{"grid", other}}))
      all.push_back({*made, fmt::format("the rows are those of a grid of {}, where {} is meant",
                                        other, grid->text)});
  } while (std::ranges::next_permutation(order).found);
  return all;
}

// The axis that each pair agrees with at every probe: its own where it may be. Empty where a pair
// agrees with none.
std::vector<std::size_t> followed(const RotationObservation& observation,
                                  const RotationHypothesis& hypothesis) {
  const std::size_t n = observation.pairs(), count = axes_of(observation, hypothesis);
  std::vector<std::vector<char>> agrees(count, std::vector<char>(n, 1));
  std::vector<double> c(n), s(n), bound(n);
  for (std::size_t axis = 0; axis < count; ++axis) {
    RotationHypothesis one = hypothesis;
    std::ranges::fill(one.axis, axis);
    const RotationPrediction prediction = observation.prediction(one);
    for (std::size_t i = 0; i < observation.rows().size(); ++i) {
      prediction.row(observation.rows()[i], c, s, bound);
      for (std::size_t j = 0; j < n; ++j) {
        const double allowed = bound[j] + observation.slack(i, j);
        agrees[axis][j] =
            agrees[axis][j] &&
            (!observation.has_cosine() ||
             prediction.allows(observation.cosine(i, j), c[j], allowed)) &&
            (!observation.has_sine() || prediction.allows(observation.sine(i, j), s[j], allowed));
      }
    }
  }
  std::vector<std::size_t> axes = hypothesis.axis;
  for (std::size_t j = 0; j < n; ++j) {
    if (agrees[axes[j]][j]) continue;
    std::size_t axis = 0;
    while (axis < count && !agrees[axis][j]) ++axis;
    if (axis == count) return {};
    axes[j] = axis;
  }
  return axes;
}

// The same by the turns from probe to probe, where rows stand elsewhere or have another amplitude.
std::vector<std::size_t> followed_by_steps(const RotationObservation& observation,
                                           const RotationHypothesis& hypothesis) {
  constexpr double most = 0.9, clear = 0.02;  // neighbours that part where rows move; what tells
  std::vector<std::size_t> axes = hypothesis.axis;
  std::vector<double> best = observation.shares_of_steps(hypothesis);
  for (std::size_t axis = 0; axis < axes_of(observation, hypothesis); ++axis) {
    RotationHypothesis one = hypothesis;
    std::ranges::fill(one.axis, axis);
    const std::vector<double> shares = observation.shares_of_steps(one);
    for (std::size_t j = 0; j < axes.size(); ++j)
      if (shares[j] > best[j] + clear) {
        best[j] = shares[j];
        axes[j] = axis;
      }
  }
  return std::ranges::min(best) >= most ? axes : std::vector<std::size_t>{};
}

std::vector<std::size_t> counted(const std::vector<std::size_t>& axes, std::size_t count) {
  std::vector<std::size_t> pairs(count);
  for (const std::size_t axis : axes) ++pairs[axis];
  return pairs;
}

// The axis of each pair where sections of those lengths follow each other.
std::vector<std::size_t> in_turn(const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < lengths.size(); ++axis)
    axes.insert(axes.end(), lengths[axis], axis);
  return axes;
}

// And where they are interleaved: pairs a, a + 3, … up to 3 · section, as transformers slices them.
std::vector<std::size_t> interleaved(const std::vector<std::size_t>& lengths, std::size_t pairs) {
  std::vector<std::size_t> axes(pairs, 0);
  for (std::size_t axis = 1; axis < lengths.size(); ++axis)
    for (std::size_t j = axis; j < lengths.size() * lengths[axis] && j < pairs; j += lengths.size())
      axes[j] = axis;
  return axes;
}

// Ladders of their own for each axis: pairs of the axes by turns where they are meant one axis
// after the other, or the reverse.
void add_pairs_by_turns(const RotationHypothesis& hypothesis, RotationProposals& all) {
  const std::size_t n = hypothesis.axis.size();
  std::vector<std::size_t> place(n);  // among the pairs of its axis
  std::map<std::size_t, std::size_t> seen;
  for (std::size_t j = 0; j < n; ++j) place[j] = seen[hypothesis.axis[j]]++;
  for (const bool by_turns : {true, false}) {
    std::vector<std::size_t> from(n);
    std::iota(from.begin(), from.end(), std::size_t{0});
    std::ranges::stable_sort(
        from, {}, [&](std::size_t j) { return by_turns ? place[j] : hypothesis.axis[j]; });
    if (std::ranges::is_sorted(from)) continue;
    Proposal<RotationHypothesis> one{
        hypothesis,
        by_turns
            ? "pairs of the axes stand by turns, where those of one axis are to stand together"
            : "pairs of one axis stand together, where those of all axes are to stand by turns"};
    for (std::size_t j = 0; j < n; ++j) {
      one.hypothesis.axis[j] = hypothesis.axis[from[j]];
      one.hypothesis.frequencies[j] = hypothesis.frequencies[from[j]];
    }
    all.push_back(std::move(one));
  }
}

RotationProposals order(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (hypothesis.axis.empty()) return all;
  const std::size_t count = axes_of(observation, hypothesis), n = hypothesis.axis.size();
  const std::vector<std::size_t> pairs = counted(hypothesis.axis, count);
  const auto add = [&](std::vector<std::size_t> axes, std::string sentence, double cost,
                       std::optional<Cause> cause) {
    if (axes.size() != n || axes == hypothesis.axis) return;
    all.push_back({hypothesis, std::move(sentence), cost, cause});
    all.back().hypothesis.axis = std::move(axes);
  };
  add(in_turn(pairs),
      fmt::format("the sections stand one after another, where {} is meant",
                  meant(observation, "order")),
      1, {});
  add(interleaved(pairs, n),
      fmt::format("the sections are interleaved, where {} is meant", meant(observation, "order")),
      1, {});
  add_pairs_by_turns(hypothesis, all);
  // The same lengths for other axes. Of rows that were rounded each pair by itself tells little.
  constexpr std::size_t most_axes = 4;
  if (count > most_axes) return all;
  std::vector<std::size_t> lengths = pairs;
  std::ranges::sort(lengths);
  do {
    if (lengths == pairs) continue;
    const std::string sentence = fmt::format("sections are {}, where {} is meant",
                                             fmt::join(lengths, ","), fmt::join(pairs, ","));
    if (hypothesis.axis == in_turn(pairs))
      add(in_turn(lengths), sentence, 1.05, Cause::wrong_parameter);
    if (hypothesis.axis == interleaved(pairs, n)) add(interleaved(lengths, n), sentence, 1.05, {});
  } while (std::next_permutation(lengths.begin(), lengths.end()));
  return all;
}

// Sections of other lengths, or in any other order, as the pairs themselves tell.
RotationProposals sections(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (hypothesis.axis.empty()) return {};
  std::vector<std::size_t> axes = followed(observation, hypothesis);
  if (axes.empty()) axes = followed_by_steps(observation, hypothesis);
  if (axes.empty() || axes == hypothesis.axis) return {};
  const std::size_t count = axes_of(observation, hypothesis);
  const auto pairs = counted(axes, count), before = counted(hypothesis.axis, count);
  Proposal<RotationHypothesis> one{hypothesis, "", 1.1, Cause::sections_order};
  one.hypothesis.axis = axes;
  if (std::ranges::is_sorted(axes) && pairs != before) {
    one.cause = Cause::wrong_parameter;
    one.sentence = fmt::format("sections are {}, where {} is meant", fmt::join(pairs, ","),
                               fmt::join(before, ","));
  } else {
    const auto first = std::ranges::mismatch(axes, hypothesis.axis).in1;
    one.sentence = fmt::format(
        "the sections stand in another order: the first pair that shows it, {}, turns with axis {}",
        first - axes.begin(), *first);
  }
  return {one};
}

RotationProposals collapsed(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const std::size_t count = axes_of(observation, hypothesis);
  if (count < 2) return all;
  for (std::size_t a = 0; a < count; ++a)
    all.push_back({exchanged(observation, hypothesis, std::vector(count, a)),
                   observation.reading().per_axis
                       ? fmt::format("the tables of all axes are that of axis {}", a)
                       : fmt::format("every pair turns with axis {} alone", a)});
  Proposal<RotationHypothesis> flat{
      hypothesis, "every pair turns with the place in the sequence: plain rope, without the axes"};
  const RotationReading& reading = observation.reading();
  const Expectation& expected = observation.expected();
  // Counted as rows are, or from where the axes count.
  for (const double from : std::set{static_cast<double>(expected.first),
                                    hypothesis.position(observation.row_of_slot(0), 0)}) {
    flat.hypothesis.position = [from, step = expected.step, reading](Index row, std::size_t) {
      return from + static_cast<double>(step * reading.slot(row));
    };
    all.push_back(flat);
  }
  return all;
}

// Frequencies alone stand at no place.
template <RotationProposals (*propose)(const RotationObservation&, const RotationHypothesis&)>
RotationProposals of_rows(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  return observation.has_rows() ? propose(observation, hypothesis) : RotationProposals{};
}

constexpr RotationProposer rows[] = {
    {Cause::axes_swapped, "axes", of_rows<swapped>, may_be_by_angles},
    {Cause::axes_swapped, "axes", of_rows<turned_over>, may_be_by_angles},
    {Cause::sections_order, "axes", of_rows<order>, may_be_by_angles},
    {Cause::sections_order, "axes", of_rows<sections>, may_be_by_angles},
    {Cause::wrong_parameter, "axes", of_rows<splits>, may_be_by_angles},
    {Cause::axes_collapsed, "axes", of_rows<collapsed>, may_be_by_angles},
    {Cause::wrong_mask, "axes", of_rows<other_mask>},
    {Cause::wrong_parameter, "coordinates", of_rows<places_by_setting>, may_be_by_angles},
    {Cause::wrong_parameter, "base", ladders_of_conventions, may_be_by_angles},
    {Cause::coordinate_offset, "coordinates", of_rows<coordinates_elsewhere>, may_be_by_angles},
    {Cause::coordinate_offset, "coordinates", of_rows<axes_on_lines>, may_be_by_angles},
    {Cause::wrong_base, "base", base_of_axes, may_be_by_angles},
};

}  // namespace

std::span<const RotationProposer> axis_causes() { return rows; }

}  // namespace pe
