// Blocks of sums at one base, from centres that turn on from block to block.
#include "pe/analyze/base_bound/base_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/cosine_sums.hpp"
#include "pe/base/kept.hpp"

namespace pe {
namespace {

constexpr Index block = CosineSums::block;
// One of so many points in a row is evaluated directly: a centre, a row of the table.
template <typename Number>
constexpr Index chain = sizeof(Number) == 4 ? 64 : 16;
constexpr Index blocks_in_round = 64;  // then it is asked whether enough is known
constexpr std::size_t most_negative = 24;
// Floats are rounded once more; where that is nothing beside what the width of the cell does, they
// are enough. A sum that is so near to zero is looked at for itself.
constexpr double float_error = 0x1p-24, floats_are_enough = 32;
// A product of two points is off by 4.3·2^−53 besides what its factors are, which add up: two
// components of two rounded products and a sum, 2√2, and √2 for the turn. A centre is a direct one
// (2^−53 each) turned at most chain − 1 times, a row of the table as often.
template <typename Number>
constexpr double point_error = 0x1p-53 * (2 + 4.4 * static_cast<double>(chain<Number> - 1)) +
                               (sizeof(Number) == 4 ? float_error : 0);

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

template <typename Number>
CosineSumsIn<Number> table_of(const BaseLadder& ladder, Index pairs) {
  constexpr Index seeds = CosineSums::half / chain<Number>;
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

template <typename Number>
class Scanner {
  using Sums = CosineSumsIn<Number>;
  static constexpr Index blocks_at_once = chain<Number>;

 public:
  Scanner(Kept<BaseSums> sums, Kept<BaseLadder> ladder, double half)
      : sums_(sums),
        ladder_(ladder),
        reach_(half * ladder_.slope_bound(1, half)),
        rounding_(error_of(sums_.pairs())),
        table_(table_of<Number>(ladder_, sums_.pairs())),
        turn_(1, sums_.pairs()) {
    turn_.set(0, block, ladder_.frequencies);
  }

  static double error_of(Index pairs) { return Sums::error(pairs, point_error<Number>); }

  // What a sum of distance m may change by within the half width, rounding included.
  double doubt(Index distance) const {
    const auto m = static_cast<double>(distance);
    return m * reach_ + (m + block) * ladder_.angle + rounding_;
  }

  Found look(Index first, Index end) const {
    Found found;
    const Index pairs = sums_.pairs();
    Points centres(blocks_at_once, pairs);
    std::vector<Number> values(static_cast<std::size_t>(blocks_at_once * block)), cosines, sines;
    for (; first < end; first += blocks_at_once * block) {
      const Index blocks = std::min(blocks_at_once, (end - first + block - 1) / block);
      centres.set(0, static_cast<double>(first + CosineSums::half) - 0.5, ladder_.frequencies);
      for (Index b = 1; b < blocks; ++b) centres.turn(b, b - 1, turn_);
      cosines.assign(centres.cosines.begin(), centres.cosines.end());
      sines.assign(centres.sines.begin(), centres.sines.end());
      table_.fill(blocks, cosines.data(), sines.data(), values.data());
      for (Index b = 0; b < blocks; ++b) {
        const Index start = first + b * block;
        take(values.data() + b * block, start, std::min(block, end - start), found);
      }
    }
    return found;
  }

 private:
  void take(const Number* values, Index start, Index count, Found& found) const {
    const double limit = doubt(start + count);
    Negative best{.length = 0, .sum = 0, .distance = 0};
    // Asked of some together first: for most it holds of none.
    constexpr Index together = 16;
    const Number about =
        std::nextafter(static_cast<Number>(limit), std::numeric_limits<Number>::max());
    for (Index first = 0; first < count; first += together) {
      const Index some = std::min(together, count - first);
      bool any = some < together;
      if (!any)
        for (Index i = 0; i < together; ++i) any |= values[first + i] <= about;
      if (any) take_some(values + first, start + first, some, limit, best, found);
    }
    if (best.length > 0) found.negative.push_back(best);
  }

  void take_some(const Number* values, Index start, Index count, double limit, Negative& best,
                 Found& found) const {
    for (Index i = 0; i < count; ++i) {
      if (values[i] > limit) continue;
      const Index distance = start + i;
      if (std::fabs(values[i]) <= doubt(distance)) found.uncertain.push_back(distance);
      const double length = -values[i] / static_cast<double>(distance);
      if (length > best.length) best = {length, values[i], distance};
    }
  }

  const BaseSums& sums_;
  const BaseLadder& ladder_;
  double reach_, rounding_;
  Sums table_;
  Points turn_;
};

template <typename Number>
BaseScan scan_in(const BaseSums& sums, const BaseLadder& ladder, double half, Index first,
                 Index end) {
  const Scanner<Number> scanner(sums, ladder, half);
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

}  // namespace

BaseScan scan_base(const BaseSums& sums, double u, double half, Index first, Index end) {
  const BaseLadder ladder = sums.ladder(u);
  const double reach = half * ladder.slope_bound(static_cast<double>(end), half);
  return reach > floats_are_enough * Scanner<float>::error_of(sums.pairs())
             ? scan_in<float>(sums, ladder, half, first, end)
             : scan_in<double>(sums, ladder, half, first, end);
}

}  // namespace pe
