// Blocks of sums at one base, from centres that turn on from block to block.
#include "pe/analyze/base_bound/base_scan.hpp"

#include <algorithm>
#include <cmath>

#include "pe/analyze/cosine_sums.hpp"
#include "pe/base/kept.hpp"

namespace pe {
namespace {

constexpr Index block = CosineSums::block;
constexpr Index blocks_at_once = 16;
constexpr Index blocks_in_round = 64;  // then it is asked whether enough is known
constexpr Index seeds = 8;             // rows of the table that are evaluated directly
constexpr std::size_t most_negative = 24;
// A product of two points is off by 4.3·2^−53 besides what its factors are, which add up: two
// components of two rounded products and a sum, 2√2, and √2 for the turn. A centre is a direct one
// (2^−53 each) turned at most 15 times, a row of the table as often.
constexpr double point_error = 0x1p-53 * (2 + 4.4 * 15);

static_assert(CosineSums::half == 16 * seeds);

// Cosines and sines of several rows of angles, [row][pair].
struct Points {
  Points(Index rows, Index pairs_of_row)
      : pairs(pairs_of_row),
        cosines(static_cast<std::size_t>(rows * pairs)),
        sines(static_cast<std::size_t>(rows * pairs)) {}

  void set(Index row, double factor, const std::vector<double>& frequencies) {
    for (Index i = 0; i < pairs; ++i) {
      const double angle = factor * frequencies[static_cast<std::size_t>(i)];
      cosines[static_cast<std::size_t>(row * pairs + i)] = std::cos(angle);
      sines[static_cast<std::size_t>(row * pairs + i)] = std::sin(angle);
    }
  }

  // The row is another one turned by the one row of `turn`.
  void turn(Index row, Index from, const Points& turn) {
    const double *const c = cosines.data() + from * pairs, *const s = sines.data() + from * pairs;
    double *const to_c = cosines.data() + row * pairs, *const to_s = sines.data() + row * pairs;
    for (Index i = 0; i < pairs; ++i) {
      const double a = turn.cosines[static_cast<std::size_t>(i)],
                   b = turn.sines[static_cast<std::size_t>(i)];
      to_c[i] = c[i] * a - s[i] * b;
      to_s[i] = s[i] * a + c[i] * b;
    }
  }

  Index pairs;
  std::vector<double> cosines, sines;
};

CosineSums table_of(const BaseLadder& ladder, Index pairs) {
  Points table(CosineSums::half, pairs), turn(1, pairs);
  turn.set(0, seeds, ladder.frequencies);
  for (Index k = 0; k < seeds; ++k) table.set(k, static_cast<double>(k) + 0.5, ladder.frequencies);
  for (Index k = seeds; k < CosineSums::half; ++k) table.turn(k, k - seeds, turn);
  return {pairs, table.cosines.data(), table.sines.data()};
}

struct Negative {
  double length;  // in u, how far it stays negative by the first-order bound, but for a factor
  double sum;
  Index distance;
};

struct Found {
  std::vector<Index> uncertain;
  std::vector<Negative> negative;  // the best of each block
};

class Scanner {
 public:
  Scanner(Kept<BaseSums> sums, double u, double half)
      : sums_(sums),
        ladder_(sums_.ladder(u)),
        reach_(half * ladder_.slope_bound(1, half)),
        table_(table_of(ladder_, sums_.pairs())),
        turn_(1, sums_.pairs()) {
    turn_.set(0, block, ladder_.frequencies);
  }

  // What a sum of distance m may change by within the half width, rounding included.
  double doubt(Index distance) const {
    const auto m = static_cast<double>(distance);
    return m * reach_ + sums_.error(ladder_, m + block, point_error);
  }

  Found look(Index first, Index end) const {
    Found found;
    const Index pairs = sums_.pairs();
    Points centres(blocks_at_once, pairs);
    std::vector<double> values(static_cast<std::size_t>(blocks_at_once * block));
    for (; first < end; first += blocks_at_once * block) {
      const Index blocks = std::min(blocks_at_once, (end - first + block - 1) / block);
      centres.set(0, static_cast<double>(first + CosineSums::half) - 0.5, ladder_.frequencies);
      for (Index b = 1; b < blocks; ++b) centres.turn(b, b - 1, turn_);
      table_.fill(blocks, centres.cosines.data(), centres.sines.data(), values.data());
      for (Index b = 0; b < blocks; ++b) {
        const Index start = first + b * block;
        take(values.data() + b * block, start, std::min(block, end - start), found);
      }
    }
    return found;
  }

 private:
  void take(const double* values, Index start, Index count, Found& found) const {
    const double limit = doubt(start + count);
    Negative best{.length = 0, .sum = 0, .distance = 0};
    for (Index i = 0; i < count; ++i) {
      if (values[i] > limit) continue;
      const Index distance = start + i;
      if (std::fabs(values[i]) <= doubt(distance)) found.uncertain.push_back(distance);
      const double length = -values[i] / static_cast<double>(distance);
      if (length > best.length) best = {length, values[i], distance};
    }
    if (best.length > 0) found.negative.push_back(best);
  }

  const BaseSums& sums_;
  BaseLadder ladder_;
  double reach_;
  CosineSums table_;
  Points turn_;
};

}  // namespace

BaseScan scan_base(const BaseSums& sums, double u, double half, Index first, Index end) {
  const Scanner scanner(sums, u, half);
  BaseScan scan;
  std::vector<Negative> negative;
  for (const Index part = blocks_in_round * block; first < end && !scan.bad; first += part) {
    const Found found = scanner.look(first, std::min(end, first + part));
    scan.uncertain.insert(scan.uncertain.end(), found.uncertain.begin(), found.uncertain.end());
    negative.insert(negative.end(), found.negative.begin(), found.negative.end());
    scan.bad = std::ranges::any_of(found.negative, [&](const Negative& one) {
      return one.sum < -scanner.doubt(one.distance);
    });
  }
  std::ranges::sort(negative, std::greater{}, &Negative::length);
  for (const Negative& one : negative)
    if (scan.negative.size() < most_negative) scan.negative.push_back(one.distance);
  return scan;
}

}  // namespace pe
