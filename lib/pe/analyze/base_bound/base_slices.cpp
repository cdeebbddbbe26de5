// Cell by cell: one sum that is negative all over, or else all that may be, root by root.
#include "pe/analyze/base_bound/base_slices.hpp"

#include <algorithm>
#include <deque>
#include <string>

#include "pe/analyze/base_bound/base_scan.hpp"
#include "pe/analyze/cosine_sums.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/bytes.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/ranks.hpp"
#include "pe/base/team.hpp"

namespace pe {
namespace {

constexpr double widest = 0.25, narrowest = 1e-9;  // cells of u
constexpr Index sums_of_one = 1000;  // a sum looked at for itself takes as long as so many scanned
constexpr std::size_t slices = 128;

// The cells of a slice of u, as wide as they come out.
class Slice {
 public:
  Slice(Kept<BaseSums> sums, Index end, double first_cosine)
      : sums_(sums), end_(end), first_cosine_(first_cosine) {
    most_uncertain_ = static_cast<std::size_t>(std::max<Index>(16, end / sums_of_one));
  }

  std::vector<BaseCell> look(double u, double end) {
    double width = (end - u) / 16;
    while (u < end) {
      ask_time();
      width = std::min(width, widest);
      const double to = std::min(u + width, end);
      if (!(to > u)) break;
      const Outcome outcome = cell(u, to);
      if (outcome == Outcome::too_wide) {
        width = (to - u) / 2;
        continue;
      }
      u = to;
      if (outcome == Outcome::easy) width *= 1.4;
    }
    return std::move(cells_);
  }

 private:
  enum class Outcome { easy, hard, too_wide };

  // Distances below this one are positive from u on.
  Index first_open(double u) {
    if (u < opened_at_ + 0.02 && u >= opened_at_) return open_;
    const Index blocks = end_ / CosineSums::block;
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
    const BaseScan scan = scan_base(sums_, middle, half, first_open(from), end_);
    for (const Index distance : scan.negative)
      if (std::ranges::find(pool_, distance) == pool_.end()) pool_.push_front(distance);
    while (pool_.size() > 40) pool_.pop_back();
    if (one_fails(from, to, middle, half)) return Outcome::hard;
    if ((scan.bad || scan.uncertain.size() > most_uncertain_) && to - from > narrowest)
      return Outcome::too_wide;
    cells_.push_back({to, pieces_of(scan.uncertain, from, to)});
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
        cells_.push_back({to, {{{.from = from, .to = to, .distance = distance}}, 0}});
        return true;
      }
    return false;
  }

  BasePieces pieces_of(const std::vector<Index>& distances, double from, double to) const {
    BasePieces all;
    for (const Index distance : distances) {
      const BasePieces found = negative_pieces(sums_, distance, from, to);
      all.unknown += found.unknown;
      all.widest = std::max(all.widest, found.widest);
      all.negative.insert(all.negative.end(), found.negative.begin(), found.negative.end());
    }
    return all;
  }

  const BaseSums& sums_;
  Index end_;
  double first_cosine_;
  std::size_t most_uncertain_;
  double opened_at_ = -1;
  Index open_ = 0;
  std::deque<Index> pool_;
  std::vector<BaseCell> cells_;
};

std::string spell(const std::vector<BaseCell>& cells) {
  ByteWriter bytes;
  for (const BaseCell& cell : cells) {
    bytes.put_number(cell.to);
    bytes.put_number(cell.pieces.unknown);
    bytes.put_number(cell.pieces.widest);
    bytes.put_numbers(cell.pieces.negative);
  }
  return bytes.text();
}

void add_cells(const std::string& spelled, std::vector<BaseCell>& cells) {
  ByteReader bytes(spelled);
  while (!bytes.is_at_end()) {
    BaseCell& cell = cells.emplace_back();
    cell.to = bytes.number<double>();
    cell.pieces.unknown = bytes.number<double>();
    cell.pieces.widest = bytes.number<double>();
    cell.pieces.negative = bytes.numbers<BasePiece>();
  }
}

}  // namespace

std::vector<BaseCell> look_in_slices(const BaseSums& sums, const SliceOrder& order) {
  const auto edge = [&](std::size_t i) {
    const double share = static_cast<double>(i) / slices;
    return i == slices ? order.to : order.from + (order.to - order.from) * share;
  };
  const auto spelled = deal_out(slices, order.threads, [&](std::size_t i, bool here) {
    if (here) order.advance(static_cast<double>(i) / slices);
    Slice slice(sums, order.end, order.first_cosine);
    return spell(slice.look(edge(i), edge(i + 1)));
  });
  std::vector<BaseCell> cells;
  for (const std::string& one : spelled) add_cells(one, cells);
  return cells;
}

}  // namespace pe
