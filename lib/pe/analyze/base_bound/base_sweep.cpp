// What is found cell by cell, joined from base 1 on.
#include "pe/analyze/base_bound/base_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pe/analyze/base_bound/base_slices.hpp"
#include "pe/base/kept.hpp"

namespace pe {
namespace {

constexpr double largest_u = 700;   // e^u is a double
constexpr double tiny_gap = 1e-12;  // between pieces whose ends are known to a few units of u

double least_cosine(Index end) {
  double least = 1;
  for (Index m = 1; m < end; ++m) least = std::min(least, std::cos(static_cast<double>(m)));
  return least - 0x1p-52;
}

// Joins the cells from base 1 on: where the sums fail, and where they do not.
class Cover {
 public:
  Cover(Kept<BaseSums> sums, const std::vector<BasePiece>& before) : sums_(sums) {
    found_.steps = before;
    if (before.empty()) return;
    found_.safe = covered_ = before.back().to;
    last_pieces_ = {before.back()};
  }

  double covered() const { return covered_; }

  // The pieces of one cell join what is covered; a gap between them is valid.
  void take(double to, BasePieces pieces) {
    if (!pieces.negative.empty()) {
      last_pieces_ = pieces.negative;
      // The first window may begin where the cell before, or a shorter length, ended.
      if (!found_.first && !found_.steps.empty()) last_pieces_.push_back(found_.steps.back());
    }
    const double before = found_.safe;
    if (!found_.first) found_.first_doubt = pieces.widest;
    std::ranges::sort(pieces.negative, {},
                      [](const BasePiece& piece) { return std::pair(piece.from, -piece.to); });
    for (BasePiece piece : pieces.negative) {
      if (piece.to <= covered_) continue;
      if (piece.from > covered_) gap(covered_, piece.from);
      piece.from = std::max(piece.from, covered_);
      if (!found_.first) found_.steps.push_back(piece);
      covered_ = piece.to;
      doubtful_ = std::max(doubtful_, piece.to + piece.doubt);
      found_.safe = piece.to;
    }
    if (covered_ < to) gap(covered_, to);
    found_.unknown += pieces.unknown;
    if (found_.safe > before)
      found_.safe_doubt = pieces.widest;
    else if (pieces.widest > 1e-9)
      found_.safe_doubt = to - found_.safe;
    covered_ = to;
  }

  BaseSweep finish(double proven) {
    found_.proven = proven;
    found_.last = ending_at(found_.safe);
    if (!found_.first) found_.first = BaseWindow{covered_, proven};
    for (const BaseWindow& gap : gaps_)
      if (gap.to <= found_.safe && gap.from >= found_.first->from)
        found_.valid += gap.to - gap.from;
    return std::move(found_);
  }

 private:
  // Of the sums whose roots cannot be told apart in double, the one with the largest; of equal ones
  // the least distance: B_3 and B_9 of four channels have one root.
  Index ending_at(double u) const {
    Index chosen = 0;
    Real largest = 0;
    for (const BasePiece& piece : last_pieces_) {
      if (std::fabs(piece.to - u) > 2 * piece.doubt + tiny_gap * std::max(1.0, u)) continue;
      const Real root = sums_.root(piece.to, piece.distance);
      const Real ahead = root - largest;
      if (chosen != 0 && (ahead < -1e-60 || (ahead < 1e-60 && piece.distance > chosen))) continue;
      chosen = piece.distance;
      largest = root;
    }
    return chosen;
  }

  void gap(double from, double to) {
    if (!found_.first && to - std::max(from, doubtful_) > tiny_gap * std::max(1.0, to)) {
      found_.first = BaseWindow{from, to};
      if (!found_.steps.empty()) {
        found_.first->from = found_.steps.back().to;
        found_.active = ending_at(found_.first->from);
      }
    }
    gaps_.push_back({from, to});
  }

  const BaseSums& sums_;
  BaseSweep found_;
  double covered_ = 0, doubtful_ = 0;
  std::vector<BaseWindow> gaps_;
  std::vector<BasePiece> last_pieces_;  // of the last cell that has any
};

}  // namespace

std::optional<double> proven_from(const BaseSums& sums, Index end) {
  const double first = least_cosine(end);
  double low = 0, high = largest_u;
  if (sums.floor(low, end - 1, first) >= 0) return low;
  if (sums.floor(high, end - 1, first) < 0) return {};
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (sums.floor(middle, end - 1, first) >= 0 ? high : low) = middle;
  }
  return high;
}

BaseSweep sweep_bases(const BaseSums& sums, const SweepOrder& order) {
  const std::optional<double> proven = proven_from(sums, order.end);
  if (!proven) return {};
  Cover cover(sums, order.before);
  const SliceOrder open{.from = cover.covered(),
                        .to = *proven,
                        .end = order.end,
                        .first_cosine = least_cosine(order.end),
                        .threads = order.threads,
                        .advance = order.advance};
  for (BaseCell& cell : look_in_slices(sums, open)) cover.take(cell.to, std::move(cell.pieces));
  return cover.finish(*proven);
}

}  // namespace pe
