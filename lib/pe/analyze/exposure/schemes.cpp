// PoSE and the maps of inference.
#include "pe/analyze/exposure/schemes.hpp"

#include <algorithm>
#include <cmath>

#include "pe/analyze/exposure/randpos.hpp"
#include "pe/base/team.hpp"
#include "pe/model/random.hpp"

namespace pe {
namespace {

constexpr Index samples_between_looks = Index{1} << 16;

// Each distance stands for itself; nothing is shown yet.
Exposure plain(Index length) {
  const auto count = static_cast<std::size_t>(length - 1);
  Exposure made{.probability = std::vector<double>(count),
                .standard_error = std::vector<double>(count),
                .least = {},
                .most = {}};
  for (Index r = 1; r < length; ++r) made.least.push_back(static_cast<double>(r));
  made.most = made.least;
  return made;
}

struct Interval {
  Index low, high;  // both inside
};

// How many samples show each distance, as differences of neighbouring counts.
class Tally {
 public:
  explicit Tally(Index length) : steps_(static_cast<std::size_t>(length) + 1) {}

  void add(std::vector<Interval>& intervals) {
    std::ranges::sort(intervals, {}, &Interval::low);
    Index reached = 0;  // everything up to here is counted
    for (const Interval& one : intervals) {
      const Index low = std::max(one.low, reached + 1);
      if (low > one.high) continue;
      ++steps_[static_cast<std::size_t>(low)];
      --steps_[static_cast<std::size_t>(one.high) + 1];
      reached = one.high;
    }
  }
  Index step(Index distance) const { return steps_[static_cast<std::size_t>(distance)]; }

 private:
  std::vector<Index> steps_;
};

// Whole numbers of one sample, drawn one after the other.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t first) : seed_(seed), next_(first) {}
  Index between(Index low, Index high) {
    const double share = random_unit(seed_, next_++) * static_cast<double>(high - low + 1);
    return low + std::min(static_cast<Index>(share), high - low);
  }

 private:
  std::uint64_t seed_, next_;
};

// Within chunks 1 … max(l) − 1; from chunk i to a later chunk j, u_j − u_i + (what lies between) +
// 1 and on, as long as both are.
void draw_pose(const SchemeSettings& settings, Index chunks, Dice dice,
               std::vector<Interval>& intervals) {
  const auto count = static_cast<std::size_t>(chunks);
  std::vector<Index> lengths(count), starts(count);
  Index left = settings.trained, skip = 0, begun = 0, longest = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    lengths[i] = dice.between(1, left - static_cast<Index>(count - 1 - i));
    left -= lengths[i];
  }
  lengths.back() = left;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) skip = dice.between(skip, settings.length - settings.trained);
    starts[i] = begun + skip;
    begun += lengths[i];
    longest = std::max(longest, lengths[i]);
  }
  intervals.clear();
  if (longest > 1) intervals.push_back({1, longest - 1});
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j)
      intervals.push_back(
          {starts[j] - starts[i] - lengths[i] + 1, starts[j] + lengths[j] - 1 - starts[i]});
}

// With l uniform on 1 … L − 1 and u on 0 … N − L, independent: r is shown within a chunk where
// max(l, L − l) > r, and between the two where u + 1 ≤ r ≤ u + L − 1.
double two_chunks(const SchemeSettings& settings, Index r) {
  const Index trained = settings.trained, skips = settings.length - trained + 1;
  const Index lengths = trained - 1;
  // Lengths with max(l, L − l) ≤ r: L − r ≤ l ≤ r.
  const Index short_ones = std::clamp<Index>(2 * std::min(r, lengths) - trained + 1, 0, lengths);
  const Index low = std::max<Index>(0, r - trained + 1), high = std::min(r - 1, skips - 1);
  const double within = 1 - static_cast<double>(short_ones) / static_cast<double>(lengths),
               between = static_cast<double>(std::max<Index>(0, high - low + 1)) /
                         static_cast<double>(skips);
  return within + between - within * between;
}

// Whether training showed the relative position.
double is_shown(double relative, Index trained) {
  return relative <= static_cast<double>(trained - 1) ? 1 : 0;
}

}  // namespace

Exposure pose_exposure(const SchemeSettings& settings, Index chunks) {
  Exposure made = plain(settings.length);
  if (chunks == 2) {
    for (Index r = 1; r < settings.length; ++r)
      made.probability[static_cast<std::size_t>(r - 1)] = two_chunks(settings, r);
    return made;
  }
  Tally tally(settings.length);
  std::vector<Interval> intervals;
  const std::uint64_t stream = random_stream(settings.seed, static_cast<std::uint64_t>(chunks));
  for (Index sample = 0; sample < settings.samples; ++sample) {
    if (sample % samples_between_looks == 0)
      settings.advance(static_cast<double>(sample) / static_cast<double>(settings.samples));
    draw_pose(settings, chunks, Dice(stream, static_cast<std::uint64_t>(2 * sample * chunks)),
              intervals);
    tally.add(intervals);
  }
  Index count = 0;
  const auto all = static_cast<double>(settings.samples);
  for (Index r = 1; r < settings.length; ++r) {
    count += tally.step(r);
    const auto seen = static_cast<double>(count);
    // Of a share that is not quite 0 or 1, where no sample says otherwise.
    const double share = (seen + 1) / (all + 2);
    made.probability[static_cast<std::size_t>(r - 1)] = seen / all;
    made.standard_error[static_cast<std::size_t>(r - 1)] = std::sqrt(share * (1 - share) / all);
  }
  return made;
}

Exposure randpos_exposure(const SchemeSettings& settings) {
  Exposure made = plain(settings.length);
  made.error = 1e-9;
  constexpr Index block = 256;
  const std::size_t team = team_size(settings.threads);
  std::vector<long double> tilts(team);
  for (Index first = 1; first < settings.length; first += block) {
    settings.advance(static_cast<double>(first) / static_cast<double>(settings.length));
    const Index end = std::min(first + block, settings.length);
    side_by_side(team, [&](std::size_t i) {
      for (Index r = first + static_cast<Index>(i); r < end; r += static_cast<Index>(team))
        made.probability[static_cast<std::size_t>(r - 1)] =
            chance_of_distance(settings.length, settings.trained, r, tilts[i]);
    });
  }
  return made;
}

Exposure original_exposure(const SchemeSettings& settings) {
  Exposure made = plain(settings.length);
  for (std::size_t i = 0; i < made.least.size(); ++i)
    made.probability[i] = is_shown(made.least[i], settings.trained);
  return made;
}

Exposure rerope_exposure(const SchemeSettings& settings, double leak) {
  Exposure made = plain(settings.length);
  const auto window = static_cast<double>(settings.rerope_window);
  for (std::size_t i = 0; i < made.least.size(); ++i) {
    const double r = made.least[i];
    made.least[i] = made.most[i] = r < window ? r : window + (r - window) / leak;
    made.probability[i] = is_shown(made.most[i], settings.trained);
  }
  return made;
}

// ⌊q/G⌋ − ⌊(q − r)/G⌋ + w − ⌊w/G⌋ for r ≥ w: over the keys s = q − r = 0 … N − 1 − r it is ⌊r/G⌋,
// and one more where s mod G ≥ G − (r mod G).
Exposure self_extend_exposure(const SchemeSettings& settings) {
  Exposure made = plain(settings.length);
  const Index window = settings.extend_window, group = settings.group;
  for (Index r = 1; r < settings.length; ++r) {
    const auto i = static_cast<std::size_t>(r - 1);
    if (r < window) {
      made.probability[i] = is_shown(made.least[i], settings.trained);
      continue;
    }
    const Index keys = settings.length - r, rest = r % group,
                above = rest * (keys / group) +
                        std::max<Index>(0, keys % group - (group - rest)) * (rest > 0 ? 1 : 0);
    made.least[i] = static_cast<double>(r / group + window - window / group);
    made.most[i] = made.least[i] + (above > 0 ? 1 : 0);
    const double share = static_cast<double>(above) / static_cast<double>(keys);
    made.probability[i] = (1 - share) * is_shown(made.least[i], settings.trained) +
                          share * is_shown(made.least[i] + 1, settings.trained);
  }
  return made;
}

}  // namespace pe
