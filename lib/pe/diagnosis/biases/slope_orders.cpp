// The slopes that are meant at other heads: in another order, or a rank's slice.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {

BiasProposals offer_orders(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  if (!is_linear(hypothesis) || observation.shape.heads != observation.bias->heads ||
      observation.shape.heads < 2)
    return {};
  const std::vector<double> ratios = slope_ratios(observation, hypothesis);
  const auto heads = static_cast<std::size_t>(observation.shape.heads);
  std::vector<double> meant(heads), got(heads);
  for (std::size_t h = 0; h < heads; ++h) {
    meant[h] = to_double(hypothesis.slopes[h]);
    got[h] =
        ratios[h] * to_double(hypothesis.slopes[static_cast<std::size_t>(hypothesis.heads[h])]);
    if (!std::isfinite(got[h])) return {};
  }
  // All multiplied by one number, too.
  std::vector<double> sorted_meant = meant, sorted_got = got, times;
  std::ranges::sort(sorted_meant);
  std::ranges::sort(sorted_got);
  for (std::size_t h = 0; h < heads; ++h) times.push_back(sorted_got[h] / sorted_meant[h]);
  const auto [least, most] = std::ranges::minmax(times);
  if (least > 0 && most < 1.01 * least)
    for (double& slope : got) slope /= least;
  BiasHypothesis other = hypothesis;
  std::vector<bool> taken(heads, false);
  std::size_t twice = 0;  // heads whose slope is another's, too

  for (std::size_t h = 0; h < heads; ++h) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < heads; ++i)
      if (std::fabs(std::log2(got[h] / meant[i])) < std::fabs(std::log2(got[h] / meant[nearest])))
        nearest = i;
    twice += taken[nearest] ? 1 : 0;
    taken[nearest] = true;
    other.heads[h] = static_cast<Index>(nearest);
  }
  if (other.heads == hypothesis.heads || 4 * twice > heads) return {};
  if (twice > 0)
    return {
        {other,
         fmt::format("some heads have the slopes of others, too: {}", fmt::join(other.heads, ", ")),
         1.1}};
  const auto half = static_cast<std::ptrdiff_t>(power_below(observation.bias->heads));
  std::vector<Index> turned(heads);
  std::iota(turned.begin(), turned.end(), Index{0});
  std::vector<Index> behind = turned;
  std::ranges::reverse(turned);
  std::rotate(behind.begin(), behind.begin() + half, behind.end());
  std::string sentence = "the slopes are those meant, in another order";
  if (std::ranges::is_sorted(got, std::greater{}))
    sentence = "the slopes are sorted, where the second ladder follows the first";
  else if (std::ranges::is_sorted(got))
    sentence = "the slopes are sorted, the flattest first";
  if (other.heads == turned) sentence = "the heads are in reverse order";
  if (other.heads == behind) sentence = "the second ladder stands before the first";
  return {{std::move(other), std::move(sentence), 1}};
}

namespace {

// Ranks that do not divide the heads evenly, each with the slopes of its own heads: the first ones
// have a head more, or the last ones.
void offer_uneven(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                  BiasProposals& proposals) {
  const Index heads = observation.bias->heads;
  for (const Index ranks : {2, 3, 4, 6, 8, 16})
    for (const bool first : {true, false}) {
      if (heads % ranks == 0 || heads < ranks) continue;
      std::vector<Real> all;
      for (Index rank = 0; rank < ranks; ++rank) {
        const bool one_more = first ? rank < heads % ranks : rank >= ranks - heads % ranks;
        const std::vector<Real>& own = slopes_of(observation, heads / ranks + one_more, "");
        all.insert(all.end(), own.begin(), own.end());
      }
      if (std::ssize(all) != heads) continue;
      proposals.push_back(
          {with_slopes(observation, hypothesis, std::move(all)),
           fmt::format("each of {} ranks, of {} or {} heads, has the slopes of a model of so many, "
                       "where it should have its part of those of {}",
                       ranks, heads / ranks, heads / ranks + 1, heads),
           1});
    }
}

}  // namespace

// The heads of one rank, or of all ranks one behind the other.
BiasProposals offer_head_slices(const BiasObservation& observation,
                                const BiasHypothesis& hypothesis) {
  const Index heads = observation.shape.heads, meant = observation.bias->heads;
  if (!is_linear(hypothesis)) return {};
  BiasProposals proposals;
  if (heads < meant) {
    const std::vector<Real>& slopes = slopes_of(observation, heads, "");
    if (std::ssize(slopes) == heads)
      proposals.push_back({with_slopes(observation, hypothesis, slopes),
                           fmt::format("a rank's {} heads have the slopes of a model of {} heads, "
                                       "where a slice of those of {} is meant",
                                       heads, heads, meant),
                           1});
    return proposals;
  }
  const auto repeated = [&](const std::vector<Real>& slopes, Index own, Index rank = 0) {
    std::vector<Real> all;
    const auto first = slopes.begin() + rank * own;
    while (std::ssize(all) < heads) all.insert(all.end(), first, first + own);
    return with_slopes(observation, hypothesis, std::move(all));
  };
  if (heads == meant) offer_uneven(observation, hypothesis, proposals);
  for (Index own = heads / 2; own >= 1 && heads == meant; --own) {
    if (heads % own != 0) continue;
    for (Index rank = 0; own > 1 && rank < heads / own; ++rank)
      proposals.push_back(
          {repeated(observation.bias->slopes, own, rank),
           fmt::format("each of {} ranks has the {} {} slopes, where it should have its own",
                       heads / own,
                       rank == 0                 ? "first"
                       : rank == heads / own - 1 ? "last"
                                                 : fmt::format("{}. part of", rank + 1),
                       own),
           1});
    if (const std::vector<Real>& slopes = slopes_of(observation, own, "");
        std::ssize(slopes) == own)
      proposals.push_back(
          {repeated(slopes, own),
           fmt::format("each of {} ranks has the slopes of a model of {} heads, where "
                       "it should have its part of those of {}",
                       heads / own, own, meant),
           1});
  }
  return proposals;
}

}  // namespace pe
