// Causes of order: direction, sides, and which columns make a pair.
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose.hpp"
#include "pe/diagnosis/rotations/sides.hpp"

namespace pe {
namespace {

RotationProposals reversed(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (observation.reading().is_of_frequencies()) {
    Proposal<RotationHypothesis> backwards{
        hypothesis, "frequencies have the other sign: the turns go backwards"};
    for (double& frequency : backwards.hypothesis.frequencies) frequency = -frequency;
    return {backwards};
  }
  if (!observation.has_rows()) return {};
  Proposal<RotationHypothesis> one{hypothesis, std::string(goes_backwards)};
  one.hypothesis.reversed = !hypothesis.reversed;
  return {one};
}

RotationProposals swapped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  if (!observation.has_rows()) return {};
  Proposal<RotationHypothesis> one{
      hypothesis, "sines stand where cosines are meant, and cosines where sines are"};
  one.hypothesis.swapped = true;
  return {one};
}

// Columns read as j, j+n that were filled as 2j, 2j+1, or the reverse: the first n columns hold
// pairs 0, 0, 1, 1, … .
RotationProposals mixed_columns(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const std::size_t n = observation.pairs();
  if (n < 2 || !observation.reading().cosine_copy) return all;
  Proposal<RotationHypothesis> doubled{
      hypothesis,
      "columns hold each pair twice in a row (interleaved), where the "
      "halves of a row are meant to be equal"};
  std::vector<double>& second = doubled.hypothesis.copy_frequencies;
  for (std::size_t j = 0; j < n; ++j) {
    doubled.hypothesis.frequencies[j] = hypothesis.frequencies[j / 2];
    second.push_back(hypothesis.frequencies[(n + j) / 2]);
  }
  all.push_back(doubled);
  Proposal<RotationHypothesis> halved{
      hypothesis, "columns hold the pairs in halves, where neighbours are meant to be equal"};
  for (std::size_t j = 0; j < n; ++j) {
    halved.hypothesis.frequencies[j] = hypothesis.frequencies[2 * j % n];
    halved.hypothesis.copy_frequencies.push_back(hypothesis.frequencies[(2 * j + 1) % n]);
  }
  all.push_back(halved);
  Proposal<RotationHypothesis> backwards{hypothesis, "the pairs stand in reverse order", 1.1};
  for (std::size_t j = 0; j < n; ++j)
    backwards.hypothesis.frequencies[j] = hypothesis.frequencies[n - 1 - j];
  all.push_back(backwards);
  return all;
}

// The columns of one half that were cut out of a cache that repeats each pair's: neighbours or
// halves, as above.
RotationProposals cut_columns(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  const std::size_t n = observation.pairs();
  if (n < 4 || !observation.has_values() || !hypothesis.axis.empty()) return {};
  const auto columns = [&](const char* sentence, auto pair_at) {
    Proposal<RotationHypothesis> one{hypothesis, sentence, 1.1};
    for (std::size_t j = 0; j < n; ++j)
      one.hypothesis.frequencies[j] = hypothesis.frequencies[pair_at(j)];
    return one;
  };
  return {columns("columns are the first half of those that hold each pair twice in a row "
                  "(interleaved)",
                  [](std::size_t j) { return j / 2; }),
          columns("columns are the second half of those that hold each pair twice in a row "
                  "(interleaved)",
                  [n](std::size_t j) { return (n + j) / 2; }),
          columns("columns are every second one of two equal halves",
                  [n](std::size_t j) { return 2 * j % n; })};
}

constexpr RotationProposer rows[] = {
    {Cause::wrong_pairing, "pairing", mixed_columns, may_be_by_angles},
    {Cause::wrong_pairing, "pairing", cut_columns, may_be_by_angles},
    {Cause::direction_reversed, "direction", reversed, may_be_by_angles},
    {Cause::sin_cos_swapped, "sides", swapped},
};

}  // namespace

std::span<const RotationProposer> order_causes() { return rows; }

}  // namespace pe
