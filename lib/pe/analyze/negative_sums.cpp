// Blocks of sums from exact centres, side by side; what double leaves open is settled afterwards.
#include "pe/analyze/negative_sums.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "pe/analyze/cosine_sums.hpp"
#include "pe/base/team.hpp"
#include "pe/waves/waves.hpp"

namespace pe {
namespace {

constexpr Index blocks_at_once = 16;  // cosines of so many centres stay in the nearest cache
constexpr std::size_t most_near = 256;

// What was seen of some distances. `near` are those whose sum may be the least of all.
struct Seen {
  std::optional<Index> first = {};
  Index negatives = 0;
  double lowest = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, Index>> near = {};
  std::vector<Index> doubtful = {};  // of either sign

  void prune(double error) {
    std::erase_if(near, [&](const auto& one) { return one.first > lowest + 2 * error; });
    if (near.size() <= most_near) return;
    std::ranges::sort(near);  // a curve so flat that its rounding hides where it is least
    near.resize(most_near / 2);
  }

  void take(Index distance, double sum, double error) {
    if (sum <= lowest + 2 * error) {
      near.emplace_back(sum, distance);
      lowest = std::min(lowest, sum);
      if (near.size() > most_near) prune(error);
    }
    if (sum > error) return;
    if (sum >= -error)
      doubtful.push_back(distance);
    else
      count(distance);
  }

  void count(Index distance) {
    ++negatives;
    if (!first || distance < *first) first = distance;
  }

  void take(const Seen& other, double error) {
    negatives += other.negatives;
    if (other.first && (!first || *other.first < *first)) first = other.first;
    lowest = std::min(lowest, other.lowest);
    near.insert(near.end(), other.near.begin(), other.near.end());
    prune(error);
    doubtful.insert(doubtful.end(), other.doubtful.begin(), other.doubtful.end());
  }
};

class Scan {
 public:
  explicit Scan(const std::vector<Real>& frequencies)
      : waves_(frequencies),
        pairs_(waves_.pairs()),
        sums_(table()),
        error_(CosineSums::error(pairs_, 0x1p-54)) {}

  double error() const { return error_; }

  // Blocks begin at `first`; of the last one what lies before `end` is looked at.
  Seen look(Index first, Index end) const {
    Seen seen;
    std::vector<double> sums(static_cast<std::size_t>(blocks_at_once * CosineSums::block));
    for (; first < end; first += blocks_at_once * CosineSums::block) {
      const Index count = std::min(blocks_at_once * CosineSums::block, end - first);
      const Index blocks = (count + CosineSums::block - 1) / CosineSums::block;
      const std::vector<double> centres =
          points(10 * (first + CosineSums::half) - 5, 10 * CosineSums::block, blocks);
      sums_.fill(blocks, centres.data(), centres.data() + blocks * pairs_, sums.data());
      for (Index i = 0; i < count; ++i)
        seen.take(first + i, sums[static_cast<std::size_t>(i)], error_);
    }
    seen.prune(error_);
    return seen;
  }

 private:
  // Cosines of all positions, then sines; positions count tenths.
  std::vector<double> points(Index first, Index step, Index count) const {
    std::vector<double> out(static_cast<std::size_t>(2 * count * pairs_));
    const PositionRange run{.first = first, .step = step, .count = count, .decimals = 1};
    const auto fill = [&](const WaveLayout& layout, double* to) {
      waves_.fill(run, layout, DType::f64, reinterpret_cast<std::byte*>(to));
    };
    fill({.width = pairs_, .sine = {}, .cosine = Place{}}, out.data());
    fill({.width = pairs_, .sine = Place{}, .cosine = {}}, out.data() + count * pairs_);
    return out;
  }

  CosineSums table() const {
    const std::vector<double> near = points(5, 10, CosineSums::half);
    return {pairs_, near.data(), near.data() + CosineSums::half * pairs_};
  }

  Waves waves_;
  Index pairs_;
  CosineSums sums_;
  double error_;
};

// Parts of equal size, one for each thread.
Seen look_together(const Scan& scan, Index first, Index end, Index threads) {
  const Index blocks = (end - first + CosineSums::block - 1) / CosineSums::block;
  std::vector<Seen> parts(static_cast<std::size_t>(std::min(threads, blocks)));
  const auto count = static_cast<Index>(parts.size());
  side_by_side(parts.size(), [&](std::size_t part) {
    const auto edge = [&](Index i) {
      return std::min(end, first + blocks * i / count * CosineSums::block);
    };
    const auto i = static_cast<Index>(part);
    parts[part] = scan.look(edge(i), edge(i + 1));
  });
  Seen all;
  for (const Seen& part : parts) all.take(part, scan.error());
  return all;
}

void settle_signs(const std::vector<Real>& frequencies, Seen& seen) {
  for (const Index distance : std::exchange(seen.doubtful, {}))
    if (cosine_sum(frequencies, distance) < 0) seen.count(distance);
}

NegativeSums result_of(const std::vector<Real>& frequencies, const Seen& seen) {
  NegativeSums result{.first = seen.first, .negatives = seen.negatives};
  std::optional<Real> least;
  for (const auto& [sum, distance] : seen.near) {
    const Real exact = cosine_sum(frequencies, distance);
    if (least && (exact > *least || (exact == *least && distance > result.at))) continue;
    least = exact;
    result.at = distance;
  }
  if (least) result.minimum = to_double(*least);
  return result;
}

}  // namespace

Real cosine_sum(const std::vector<Real>& frequencies, Index distance) {
  Real sum = 0;
  for (const Real& frequency : frequencies) sum += cos(Real(frequency * distance));
  return sum;
}

std::vector<NegativeSums> negative_sums(const std::vector<Real>& frequencies,
                                        const std::vector<Index>& ends, int threads,
                                        const std::function<void(double share)>& advance) {
  const Scan scan(frequencies);
  const auto team = static_cast<Index>(team_size(threads));
  const Index pairs = static_cast<Index>(frequencies.size());
  // A few million products for each thread before progress is told.
  const Index round = team * CosineSums::block * std::max<Index>(1, (1 << 18) / pairs);
  Seen seen;
  std::vector<NegativeSums> results;
  Index first = 0;
  for (const Index end : ends) {
    for (; first < end; first = std::min(end, first + round)) {
      advance(static_cast<double>(first) / static_cast<double>(ends.back()));
      seen.take(look_together(scan, first, std::min(end, first + round), team), scan.error());
      settle_signs(frequencies, seen);
    }
    results.push_back(result_of(frequencies, seen));
  }
  return results;
}

}  // namespace pe
