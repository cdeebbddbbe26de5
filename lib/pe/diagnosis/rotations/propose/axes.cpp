// Causes of axes: which coordinate a pair turns with, and where coordinates start.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {
namespace {

std::size_t axes_of(const RotationHypothesis& hypothesis) {
  return hypothesis.axis.empty() ? 1 : *std::ranges::max_element(hypothesis.axis) + 1;
}

// A cache that keeps a table for each axis: the run of axis a turns with axis to[a] instead.
RotationHypothesis rerun(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis, std::vector<Index> to) {
  RotationHypothesis other = hypothesis;
  other.position = [before = hypothesis.position, run = observation.reading().run,
                    to = std::move(to)](Index row, std::size_t axis) {
    return before(to[static_cast<std::size_t>(row / run)] * run + row % run, axis);
  };
  return other;
}

RotationProposals swapped_runs(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Index count =
      observation.reading().per_axis ? observation.reading().rows / observation.reading().run : 0;
  for (Index a = 0; a < count; ++a)
    for (Index b = a + 1; b < count; ++b) {
      std::vector<Index> to;
      for (Index axis = 0; axis < count; ++axis) to.push_back(axis == a ? b : axis == b ? a : axis);
      all.push_back({rerun(observation, hypothesis, to),
                     fmt::format("the tables of axes {} and {} are exchanged", a, b)});
    }
  return all;
}

RotationProposals collapsed_runs(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Index count =
      observation.reading().per_axis ? observation.reading().rows / observation.reading().run : 0;
  for (Index a = 0; a < count; ++a)
    all.push_back(
        {rerun(observation, hypothesis, std::vector<Index>(static_cast<std::size_t>(count), a)),
         fmt::format("the tables of all axes are that of axis {}", a)});
  if (count == 0) return all;
  Proposal<RotationHypothesis> flat{
      hypothesis,
      "the tables of all axes turn with the place in the sequence: plain rope, without the axes"};
  flat.hypothesis.position = [first = observation.expected().first,
                              stride = observation.reading().stride,
                              run = observation.reading().run](Index row, std::size_t) {
    return static_cast<double>(first + row / stride % run);  // its slot: count is 0 without runs
  };
  all.push_back(flat);
  return all;
}

RotationProposals swapped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  RotationProposals all = swapped_runs(observation, hypothesis);
  const std::size_t count = axes_of(hypothesis);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) {
      Proposal<RotationHypothesis> one{
          hypothesis, fmt::format("axes {} and {} are exchanged: pairs that turn with one "
                                  "stand where those of the other are meant",
                                  a, b)};
      for (std::size_t& axis : one.hypothesis.axis) axis = axis == a ? b : axis == b ? a : axis;
      all.push_back(one);
    }
  return all;
}

RotationProposals order(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (axes_of(hypothesis) < 2) return all;
  const std::size_t count = axes_of(hypothesis), n = hypothesis.axis.size();
  std::vector<std::size_t> pairs(count);
  for (const std::size_t axis : hypothesis.axis) ++pairs[axis];
  Proposal<RotationHypothesis> in_turn{
      hypothesis, fmt::format("the sections stand one after another, where {} is meant",
                              meant(observation, "order"))};
  Proposal<RotationHypothesis> interleaved{
      hypothesis,
      fmt::format("the sections are interleaved, where {} is meant", meant(observation, "order"))};
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < count; ++axis)
    for (std::size_t i = 0; i < pairs[axis]; ++i) in_turn.hypothesis.axis[next++] = axis;
  std::ranges::fill(
      interleaved.hypothesis.axis,
      std::size_t{0});  // pairs a, a + 3, … up to 3 · section, as transformers slices them
  for (std::size_t axis = 1; axis < count; ++axis)
    for (std::size_t j = axis; j < count * pairs[axis] && j < n; j += count)
      interleaved.hypothesis.axis[j] = axis;
  for (const auto& one : {in_turn, interleaved})
    if (one.hypothesis.axis != hypothesis.axis) all.push_back(one);
  return all;
}

RotationProposals collapsed(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  RotationProposals all = collapsed_runs(observation, hypothesis);
  const std::size_t count = axes_of(hypothesis);
  if (count < 2) return all;
  for (std::size_t a = 0; a < count; ++a) {
    Proposal<RotationHypothesis> one{hypothesis,
                                     fmt::format("every pair turns with axis {} alone", a)};
    std::ranges::fill(one.hypothesis.axis, a);
    all.push_back(one);
  }
  Proposal<RotationHypothesis> flat{
      hypothesis, "every pair turns with the place in the sequence: plain rope, without the axes"};
  flat.hypothesis.position = [](Index row, std::size_t) { return static_cast<double>(row); };
  all.push_back(flat);
  return all;
}

RotationProposals offset(const RotationObservation&, const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const std::size_t count = axes_of(hypothesis);
  if (count < 2) return all;
  // Of one axis, or of all but the first (rows and columns), everywhere or where a row's
  // coordinates differ (a picture's cells).
  for (const double k : {1.0, -1.0, 0.5})
    for (std::size_t a = 0; a <= count; ++a)
      for (const bool cells : {false, true}) {
        Proposal<RotationHypothesis> one{
            hypothesis,
            fmt::format("{} {} {:+g} off{}",
                        a == count ? "rows and columns" : fmt::format("coordinates of axis {}", a),
                        "are", k, cells ? " where there are pictures" : "")};
        one.hypothesis.position = [before = hypothesis.position, k, a, count, cells](
                                      Index row, std::size_t axis) {
          const double here = before(row, axis);
          if (!(a == count ? axis > 0 : a == axis)) return here;
          bool differ = !cells;
          for (std::size_t other = 1; other < count; ++other)
            differ = differ || before(row, other) != before(row, 0);
          return differ ? here + k : here;
        };
        all.push_back(one);
      }
  return all;
}

RotationProposals all_offset(const RotationObservation&, const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (axes_of(hypothesis) < 2) return all;
  for (const double k : {1.0, -1.0, 2.0, -2.0}) {
    Proposal<RotationHypothesis> one{hypothesis, fmt::format("every coordinate is {:+g} off", k)};
    one.hypothesis.position = [before = hypothesis.position, k](Index row, std::size_t axis) {
      return before(row, axis) + k;
    };
    all.push_back(one);
  }
  return all;
}

constexpr RotationProposer rows[] = {
    {Cause::axes_swapped, "axes", swapped},     {Cause::sections_order, "axes", order},
    {Cause::axes_collapsed, "axes", collapsed}, {Cause::position_offset, "axes", all_offset},
    {Cause::coordinate_offset, "axes", offset},
};

}  // namespace

std::span<const RotationProposer> axis_causes() { return rows; }

}  // namespace pe
