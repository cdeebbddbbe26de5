// Cell by cell: one sum that is negative all over, or else all that may be, root by root.
#include "pe/analyze/base_bound/base_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "pe/analyze/base_bound/base_scan.hpp"
#include "pe/analyze/cosine_sums.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/team.hpp"

namespace pe {
namespace {

constexpr double widest = 0.25, narrowest = 1e-9;  // cells of u
constexpr double largest_u = 700;                  // e^u is a double
constexpr Index sums_of_one = 1000;  // a sum looked at for itself takes as long as so many scanned
constexpr double tiny_gap = 1e-12;   // between pieces whose ends are known to a few units of u

double least_cosine(Index end) {
  double least = 1;
  for (Index m = 1; m < end; ++m) least = std::min(least, std::cos(static_cast<double>(m)));
  return least - 0x1p-52;
}

class Sweep {
 public:
  Sweep(Kept<BaseSums> sums, Kept<SweepOrder> order, double proven)
      : sums_(sums), order_(order), first_cosine_(least_cosine(order_.end)) {
    found_.proven = proven;
    found_.steps = order_.before;
    if (!found_.steps.empty()) {
      found_.safe = covered_ = found_.steps.back().to;
      last_pieces_ = {found_.steps.back()};
    }
    most_uncertain_ = static_cast<std::size_t>(std::max<Index>(16, order_.end / sums_of_one));
  }

  BaseSweep run() {
    double u = covered_, width = found_.steps.empty() ? widest : 1e-4;
    while (u < found_.proven) {
      order_.advance(u / found_.proven);
      width = std::min(width, widest);
      const double to = std::min(u + width, found_.proven);
      if (!(to > u)) break;
      const Outcome outcome = cell(u, to);
      if (outcome == Outcome::too_wide) {
        width = (to - u) / 2;
        continue;
      }
      u = to;
      if (outcome == Outcome::easy) width *= 1.4;
    }
    finish();
    return std::move(found_);
  }

 private:
  enum class Outcome { easy, hard, too_wide };

  // Distances below this one are positive from u on.
  Index first_open(double u) {
    if (u < opened_at_ + 0.02 && u >= opened_at_) return open_;
    const Index blocks = order_.end / CosineSums::block;
    Index low = 0, high = blocks + 1;  // in blocks: up to low all are known to be positive
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      if (sums_.floor(u, middle * CosineSums::block, first_cosine_) >= 0)
        low = middle;
      else
        high = middle;
    }
    opened_at_ = u;
    return open_ = low * CosineSums::block;
  }

  Outcome cell(double from, double to) {
    const double middle = from + (to - from) / 2, half = std::max(middle - from, to - middle);
    if (one_fails(from, to, middle, half)) return Outcome::easy;
    const BaseScan scan =
        scan_base(sums_, middle, half, first_open(from), order_.end, order_.threads);
    for (const Index distance : scan.negative)
      if (std::ranges::find(pool_, distance) == pool_.end()) pool_.push_front(distance);
    while (pool_.size() > 40) pool_.pop_back();
    if (one_fails(from, to, middle, half)) return Outcome::hard;
    if ((scan.bad || scan.uncertain.size() > most_uncertain_) && to - from > narrowest)
      return Outcome::too_wide;
    take(to, pieces_of(scan.uncertain, from, to));
    return 4 * scan.uncertain.size() < most_uncertain_ ? Outcome::easy : Outcome::hard;
  }

  // Whether one sum of the pool is negative all over the cell; it then moves to the front.
  bool one_fails(double from, double to, double middle, double half) {
    const BaseLadder ladder = sums_.ladder(middle);
    for (auto one = pool_.begin(); one != pool_.end(); ++one)
      if (sign_between(sums_, ladder, half, *one) == BaseSign::negative) {
        const Index distance = *one;
        pool_.erase(one);
        pool_.push_front(distance);
        take(to, {{{.from = from, .to = to, .distance = distance}}, 0});
        return true;
      }
    return false;
  }

  BasePieces pieces_of(const std::vector<Index>& distances, double from, double to) const {
    const std::size_t team = std::clamp<std::size_t>(distances.size() / 16, 1, order_.threads);
    std::vector<BasePieces> parts(team);
    side_by_side(team, [&](std::size_t part) {
      for (std::size_t i = part; i < distances.size(); i += team) {
        const BasePieces found = negative_pieces(sums_, distances[i], from, to);
        parts[part].unknown += found.unknown;
        parts[part].widest = std::max(parts[part].widest, found.widest);
        parts[part].negative.insert(parts[part].negative.end(), found.negative.begin(),
                                    found.negative.end());
      }
    });
    BasePieces all;
    for (const BasePieces& part : parts) {
      all.unknown += part.unknown;
      all.widest = std::max(all.widest, part.widest);
      all.negative.insert(all.negative.end(), part.negative.begin(), part.negative.end());
    }
    return all;
  }

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

  void finish() {
    found_.last = ending_at(found_.safe);
    if (!found_.first) found_.first = BaseWindow{covered_, found_.proven};
    for (const BaseWindow& gap : gaps_)
      if (gap.to <= found_.safe && gap.from >= found_.first->from)
        found_.valid += gap.to - gap.from;
  }

  const BaseSums& sums_;
  const SweepOrder& order_;
  double first_cosine_;
  std::size_t most_uncertain_;
  BaseSweep found_;
  double covered_ = 0, doubtful_ = 0, opened_at_ = -1;
  Index open_ = 0;
  std::deque<Index> pool_;
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
  return proven ? Sweep(sums, order, *proven).run() : BaseSweep{};
}

}  // namespace pe
