// Causes of axes: which coordinate a pair turns with, and where coordinates start.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

std::size_t axes_of(const TurnStory& story) { return story.axis.empty() ? 1 : *std::ranges::max_element(story.axis) + 1; }

TurnProposals swapped(const TurnWorld&, const TurnStory& story) {
  TurnProposals all;
  const std::size_t count = axes_of(story);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) {
      Proposal<TurnStory> one{story, fmt::format("axes {} and {} are exchanged: pairs that turn with one stand where those of the other are meant", a, b)};
      for (std::size_t& axis : one.story.axis) axis = axis == a ? b : axis == b ? a : axis;
      all.push_back(one);
    }
  return all;
}

TurnProposals order(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (axes_of(story) < 2) return all;
  const std::string now = text_of(world, story, "order");
  for (const char* name : {"sectioned", "interleaved"})
    if (!now.empty() && now != name)
      if (auto other = remade(world, story, {{"order", {name, "diagnosis", ""}}}))
        all.push_back({*other, fmt::format("the sections are {}, where {} is meant", name, meant(world, "order"))});
  return all;
}

TurnProposals collapsed(const TurnWorld&, const TurnStory& story) {
  TurnProposals all;
  const std::size_t count = axes_of(story);
  if (count < 2) return all;
  for (std::size_t a = 0; a < count; ++a) {
    Proposal<TurnStory> one{story, fmt::format("every pair turns with axis {} alone", a)};
    std::ranges::fill(one.story.axis, a);
    all.push_back(one);
  }
  Proposal<TurnStory> flat{story, "every pair turns with the place in the sequence: plain rope, without the axes"};
  flat.story.position = [](Index row, std::size_t) { return static_cast<double>(row); };
  all.push_back(flat);
  return all;
}

TurnProposals offset(const TurnWorld&, const TurnStory& story) {
  TurnProposals all;
  const std::size_t count = axes_of(story);
  if (count < 2) return all;
  for (const double k : {1.0, -1.0, 0.5})
    for (std::size_t a = 0; a <= count; ++a) {  // the last: all of them
      Proposal<TurnStory> one{story, a == count ? fmt::format("every coordinate is {:+g}", k) : fmt::format("coordinates of axis {} are {:+g}", a, k)};
      one.story.position = [before = story.position, k, a, count](Index row, std::size_t axis) { return before(row, axis) + (a == count || a == axis ? k : 0); };
      all.push_back(one);
    }
  return all;
}

constexpr TurnCause rows[] = {
    {{"axes-swapped", "two axes are exchanged", "turns"}, "axes", swapped},
    {{"sections-order", "sections are interleaved where they should be in turn, or the reverse", "turns"}, "axes", order},
    {{"axes-collapsed", "every pair turns with one axis", "turns"}, "axes", collapsed},
    {{"coordinate-offset", "coordinates start elsewhere", "turns"}, "axes", offset},
};

}  // namespace

std::span<const TurnCause> axis_causes() { return rows; }

}  // namespace pe
