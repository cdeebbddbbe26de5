// Causes of axes: which coordinate a pair turns with, and where coordinates start.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

std::size_t axes_of(const TurnStory& story) {
  return story.axis.empty() ? 1 : *std::ranges::max_element(story.axis) + 1;
}

// A cache that keeps a table for each axis: the run of axis a turns with axis to[a] instead.
TurnStory rerun(const TurnWorld& world, const TurnStory& story, std::vector<Index> to) {
  TurnStory other = story;
  other.position = [before = story.position, run = world.reading().run, to = std::move(to)](
                       Index row, std::size_t axis) {
    return before(to[static_cast<std::size_t>(row / run)] * run + row % run, axis);
  };
  return other;
}

TurnProposals swapped_runs(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  const Index count = world.reading().per_axis ? world.reading().rows / world.reading().run : 0;
  for (Index a = 0; a < count; ++a)
    for (Index b = a + 1; b < count; ++b) {
      std::vector<Index> to;
      for (Index axis = 0; axis < count; ++axis) to.push_back(axis == a ? b : axis == b ? a : axis);
      all.push_back({rerun(world, story, to),
                     fmt::format("the tables of axes {} and {} are exchanged", a, b)});
    }
  return all;
}

TurnProposals collapsed_runs(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  const Index count = world.reading().per_axis ? world.reading().rows / world.reading().run : 0;
  for (Index a = 0; a < count; ++a)
    all.push_back({rerun(world, story, std::vector<Index>(static_cast<std::size_t>(count), a)),
                   fmt::format("the tables of all axes are that of axis {}", a)});
  if (count == 0) return all;
  Proposal<TurnStory> flat{
      story,
      "the tables of all axes turn with the place in the sequence: plain rope, without the axes"};
  flat.story.position = [&world](Index row, std::size_t) {
    return static_cast<double>(world.expected().first + world.slot(row));
  };
  all.push_back(flat);
  return all;
}

TurnProposals swapped(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all = swapped_runs(world, story);
  const std::size_t count = axes_of(story);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) {
      Proposal<TurnStory> one{story,
                              fmt::format("axes {} and {} are exchanged: pairs that turn with one "
                                          "stand where those of the other are meant",
                                          a, b)};
      for (std::size_t& axis : one.story.axis) axis = axis == a ? b : axis == b ? a : axis;
      all.push_back(one);
    }
  return all;
}

TurnProposals order(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (axes_of(story) < 2) return all;
  const std::size_t count = axes_of(story), n = story.axis.size();
  std::vector<std::size_t> pairs(count);
  for (const std::size_t axis : story.axis) ++pairs[axis];
  Proposal<TurnStory> in_turn{story,
                              fmt::format("the sections stand one after another, where {} is meant",
                                          meant(world, "order"))};
  Proposal<TurnStory> interleaved{
      story, fmt::format("the sections are interleaved, where {} is meant", meant(world, "order"))};
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < count; ++axis)
    for (std::size_t i = 0; i < pairs[axis]; ++i) in_turn.story.axis[next++] = axis;
  std::ranges::fill(
      interleaved.story.axis,
      std::size_t{0});  // pairs a, a + 3, … up to 3 · section, as transformers slices them
  for (std::size_t axis = 1; axis < count; ++axis)
    for (std::size_t j = axis; j < count * pairs[axis] && j < n; j += count)
      interleaved.story.axis[j] = axis;
  for (const auto& one : {in_turn, interleaved})
    if (one.story.axis != story.axis) all.push_back(one);
  return all;
}

TurnProposals collapsed(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all = collapsed_runs(world, story);
  const std::size_t count = axes_of(story);
  if (count < 2) return all;
  for (std::size_t a = 0; a < count; ++a) {
    Proposal<TurnStory> one{story, fmt::format("every pair turns with axis {} alone", a)};
    std::ranges::fill(one.story.axis, a);
    all.push_back(one);
  }
  Proposal<TurnStory> flat{
      story, "every pair turns with the place in the sequence: plain rope, without the axes"};
  flat.story.position = [](Index row, std::size_t) { return static_cast<double>(row); };
  all.push_back(flat);
  return all;
}

TurnProposals offset(const TurnWorld&, const TurnStory& story) {
  TurnProposals all;
  const std::size_t count = axes_of(story);
  if (count < 2) return all;
  // Of one axis, or of all but the first (rows and columns), everywhere or where a row's
  // coordinates differ (a picture's cells).
  for (const double k : {1.0, -1.0, 0.5})
    for (std::size_t a = 0; a <= count; ++a)
      for (const bool cells : {false, true}) {
        Proposal<TurnStory> one{
            story,
            fmt::format("{} {} {:+g} off{}",
                        a == count ? "rows and columns" : fmt::format("coordinates of axis {}", a),
                        "are", k, cells ? " where there are pictures" : "")};
        one.story.position = [before = story.position, k, a, count, cells](Index row,
                                                                           std::size_t axis) {
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

TurnProposals all_offset(const TurnWorld&, const TurnStory& story) {
  TurnProposals all;
  if (axes_of(story) < 2) return all;
  for (const double k : {1.0, -1.0, 2.0, -2.0}) {
    Proposal<TurnStory> one{story, fmt::format("every coordinate is {:+g} off", k)};
    one.story.position = [before = story.position, k](Index row, std::size_t axis) {
      return before(row, axis) + k;
    };
    all.push_back(one);
  }
  return all;
}

constexpr TurnCause rows[] = {
    {{"axes-swapped", "two axes are exchanged", "turns"}, "axes", swapped},
    {{"sections-order", "sections are interleaved where they should be in turn, or the reverse",
      "turns"},
     "axes",
     order},
    {{"axes-collapsed", "every pair turns with one axis", "turns"}, "axes", collapsed},
    {{"position-offset", "rows hold other positions, by a constant", "turns"}, "axes", all_offset},
    {{"coordinate-offset", "coordinates start elsewhere", "turns"}, "axes", offset},
};

}  // namespace

std::span<const TurnCause> axis_causes() { return rows; }

}  // namespace pe
