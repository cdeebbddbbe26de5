// Causes of order: direction, sides, and which columns make a pair.
#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

TurnProposals reversed(const TurnWorld& world, const TurnStory& story) {
  if (!world.has_rows()) return {};
  Proposal<TurnStory> one{story, "sines have the other sign: the turns go backwards"};
  one.story.reversed = !story.reversed;
  return {one};
}

TurnProposals swapped(const TurnWorld& world, const TurnStory& story) {
  if (!world.has_rows()) return {};
  Proposal<TurnStory> one{story,
                          "sines stand where cosines are meant, and cosines where sines are"};
  one.story.swapped = true;
  return {one};
}

// Columns read as j, j+n that were filled as 2j, 2j+1, or the reverse: the first n columns hold
// pairs 0, 0, 1, 1, … .
TurnProposals mixed_columns(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  const std::size_t n = world.pairs();
  if (n < 2 || !world.reading().cosine_copy) return all;
  Proposal<TurnStory> doubled{story,
                              "columns hold each pair twice in a row (interleaved), where the "
                              "halves of a row are meant to be equal"};
  for (std::size_t j = 0; j < n; ++j) doubled.story.frequencies[j] = story.frequencies[j / 2];
  all.push_back(doubled);
  Proposal<TurnStory> halved{
      story, "columns hold the pairs in halves, where neighbours are meant to be equal"};
  for (std::size_t j = 0; j < n; ++j) halved.story.frequencies[j] = story.frequencies[2 * j % n];
  all.push_back(halved);
  Proposal<TurnStory> backwards{story, "the pairs stand in reverse order", 1.1};
  for (std::size_t j = 0; j < n; ++j) backwards.story.frequencies[j] = story.frequencies[n - 1 - j];
  all.push_back(backwards);
  return all;
}

constexpr TurnCause rows[] = {
    {{"wrong-pairing", "channels pair up otherwise: interleaved for halves or the reverse",
      "turns"},
     "pairing",
     mixed_columns},
    {{"direction-reversed", "the turns go backwards", "turns"}, "direction", reversed},
    {{"sin-cos-swapped", "sine and cosine stand in each other's place", "turns"},
     "direction",
     swapped},
};

}  // namespace

std::span<const TurnCause> order_causes() { return rows; }

}  // namespace pe
