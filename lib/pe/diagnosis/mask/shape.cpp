// Candidate shapes from what is hidden on most of each row, column and diagonal.
#include "pe/diagnosis/mask/shape.hpp"

#include <algorithm>
#include <cmath>

namespace pe {

bool MaskShape::empty() const {
  return rows_before == 0 && keys_before == 0 && block.empty() && key_hidden.empty() &&
         rows_from == std::numeric_limits<Index>::max() &&
         keys_from == std::numeric_limits<Index>::max() &&
         past == std::numeric_limits<std::int64_t>::min() &&
         future == std::numeric_limits<std::int64_t>::max();
}

bool MaskShape::hides(const ScoreAxes& axes, Index query, Index key) const {
  if (query < rows_before || query >= rows_from || hides_key(key)) return true;
  const std::int64_t here = axes.first_query + query - axes.first_key, offset = key - here;
  if (!block.empty() && here >= 0 && here < std::ssize(block) &&
      block[static_cast<std::size_t>(here)] != block[static_cast<std::size_t>(key)])
    return true;
  return (offset < past && key >= sinks) || (offset > future && key >= prefix);
}

namespace {

// The shapes that a plane may have, from what is hidden on most of each row, column and diagonal.
class ShapeFit {
 public:
  explicit ShapeFit(MaskedPlane& plane)
      : plane_(plane), axes_(plane.axes()), queries_(plane.sample()) {
    for (const Index query : queries_) rows_.push_back(plane.row(query).data());
  }

  MaskShape best() {
    least_ = plane_.contradictions({}, queries_);
    if (least_ == 0 || is_causal_from_first_key()) return {};
    // `slack`: part of a row or column that may be otherwise; damage is no end to padding.
    for (const double slack : {0.0, 0.15})
      for (const bool with_rows : {false, true}) {
        MaskShape shape;
        if (with_rows && !add_rows(shape, slack)) continue;
        offer(shape);
        offer_sides(shape);
        MaskShape padded = shape;
        const bool at_ends = add_keys(padded, slack);
        if (at_ends) {
          offer(padded);
          offer_sides(padded);
        }
        if (least_ == 0 || slack > 0 || !add_holes(padded)) continue;
        offer(padded);
        offer_sides(padded);
      }
    if (least_ > 0) offer_blocks();
    const auto cells = static_cast<Index>(queries_.size()) * axes_.keys;
    return least_ <= std::max<Index>(1, cells / 16) ? best_ : MaskShape{};
  }

 private:
  bool offer(const MaskShape& shape) {
    if (least_ == 0) return false;
    const Index count = plane_.contradictions(shape, queries_);
    if (count >= least_) return false;
    least_ = count;
    best_ = shape;
    return true;
  }

  // Queries that are the last are masked as if they were the first: no mask that somebody added,
  // but what queries look like that stand elsewhere than is meant.
  bool is_causal_from_first_key() {
    const std::int64_t first = axes_.first_key - axes_.first_query;
    if (first >= 0 || axes_.queries < 2) return false;
    MaskShape shape;
    shape.future = first;
    return plane_.contradictions(shape, queries_) == 0;
  }

  bool hidden_row(Index query, double slack) {
    const std::vector<char>& row = plane_.row(query);
    return static_cast<double>(std::ranges::count(row, 0)) <=
           slack * static_cast<double>(row.size());
  }
  // Between two rows that were looked at, the first that is as `full`.
  Index boundary(Index from, Index to, bool full) {
    while (from + 1 < to) {
      const Index middle = from + (to - from) / 2;
      (plane_.is_full(middle) == full ? to : from) = middle;
    }
    return to;
  }
  bool add_rows(MaskShape& shape, double slack) {
    std::size_t front = 0, back = queries_.size();
    while (front < back && hidden_row(queries_[front], slack)) ++front;
    if (front == back) return false;  // nothing would be left
    while (back > front && hidden_row(queries_[back - 1], slack)) --back;
    if (front > 0) shape.rows_before = boundary(queries_[front - 1], queries_[front], false);
    if (back < queries_.size())
      shape.rows_from = boundary(queries_[back - 1], queries_[back], true);
    return front > 0 || back < queries_.size();
  }

  bool is_row_open(const MaskShape& shape, Index query) const {
    return query >= shape.rows_before && query < shape.rows_from;
  }
  bool hidden_key(const MaskShape& shape, Index key, double slack, bool hidden) {
    Index rows = 0, other = 0;
    for (std::size_t i = 0; i < queries_.size(); ++i)
      if (is_row_open(shape, queries_[i])) {
        ++rows;
        other += (rows_[i][key] != 0) != hidden;
      }
    return static_cast<double>(other) <= slack * static_cast<double>(rows);
  }
  bool add_keys(MaskShape& shape, double slack) {
    Index front = 0, back = axes_.keys;
    while (front < back && hidden_key(shape, front, slack, true)) ++front;
    if (front == back) return false;
    while (back > front && hidden_key(shape, back - 1, slack, true)) --back;
    shape.keys_before = front;
    if (back < axes_.keys) shape.keys_from = back;
    return front > 0 || back < axes_.keys;
  }

  // Keys between those at the ends that no query sees: padding may stand anywhere in a sequence.
  bool add_holes(MaskShape& shape) {
    std::vector<char> holes(static_cast<std::size_t>(axes_.keys), 0);
    for (Index key = shape.keys_before; key < std::min(axes_.keys, shape.keys_from); ++key)
      holes[static_cast<std::size_t>(key)] = hidden_key(shape, key, 0, true);
    if (std::ranges::find(holes, char{1}) == holes.end()) return false;
    shape.key_hidden = std::move(holes);
    return true;
  }

  // How far most of the diagonals from the query's own, or from one beside it, are seen, in one
  // direction, by keys from `first` on.
  std::int64_t seen(const MaskShape& shape, int direction, Index first, std::int64_t start = 0) {
    std::int64_t offset = start;
    for (; std::abs(offset) < axes_.keys + axes_.queries; offset += direction) {
      Index total = 0, open = 0;
      for (std::size_t i = 0; i < queries_.size(); ++i) {
        const Index query = queries_[i];
        const std::int64_t key = axes_.first_query + query - axes_.first_key + offset;
        if (!is_row_open(shape, query) || key < std::max(shape.keys_before, first) ||
            key >= std::min(axes_.keys, shape.keys_from) || shape.hides_key(key))
          continue;
        ++total;
        open += rows_[i][key] == 0;
      }
      if (2 * open <= total && total > 0) break;
    }
    return offset - direction;
  }
  // How many of the first keys are seen by all queries on one side of the diagonal.
  Index seen_by_all(const MaskShape& shape, bool later) {
    for (Index key = shape.keys_before; key < axes_.keys; ++key)
      for (std::size_t i = 0; i < queries_.size() && !shape.hides_key(key); ++i) {
        const std::int64_t offset = axes_.first_key + key - axes_.first_query - queries_[i];
        if (is_row_open(shape, queries_[i]) && (offset > 0) == later && rows_[i][key] != 0)
          return key;
      }
    return axes_.keys;
  }
  // Causal, a window, both; the first keys seen by all or not.
  void offer_sides(const MaskShape& from) {
    const MaskShape open;
    const Index prefix = seen_by_all(from, true), sinks = seen_by_all(from, false);
    const Index size = axes_.keys + axes_.queries;
    for (const Index before_all : {Index{0}, prefix})
      for (const Index sunk : {Index{0}, sinks}) {
        std::int64_t before = seen(from, -1, sunk), after = seen(from, 1, before_all);
        if (before > 0) {  // not even the query itself is seen; those before it may be
          after = -1;
          before = seen(from, -1, sunk, after);
          if (before > after) continue;
        }
        MaskShape shape = from;
        if (before < 0 && before > 1 - size) {
          shape.past = before;
          shape.sinks = sunk;
        }
        if (after >= -1 && after < size - 1) {  // of a window, or a causal one that opens too much
          shape.future = after;
          shape.prefix = before_all;
        }
        offer(shape);
      }
  }

  // Pairs of different blocks are hidden, and later keys or none: read off the rows themselves.
  void offer_blocks() {
    constexpr Index most = 4096;
    const std::int64_t before = axes_.first_query - axes_.first_key;
    if (before != 0 || axes_.queries != axes_.keys || axes_.keys > most) return;
    for (const bool causal : {false, true})
      for (const bool padded : {false, true}) {
        MaskShape shape;
        if (padded && !add_rows(shape, 0)) continue;
        if (padded) add_keys(shape, 0);
        if (causal) shape.future = 0;
        shape.block.assign(static_cast<std::size_t>(axes_.keys), -1);
        for (Index place = 0; place < axes_.keys; ++place) join(shape, place, causal);
        offer(shape);
      }
  }
  void join(MaskShape& shape, Index place, bool causal) {
    Index& own = shape.block[static_cast<std::size_t>(place)];
    if (!causal && own >= 0) return;
    const std::vector<char>& row = plane_.row(place);
    const auto first = std::ranges::find(row, char{0}) - row.begin();
    if (causal) {
      const bool earlier = first < place && first < std::ssize(row);
      own = earlier ? shape.block[static_cast<std::size_t>(first)] : place;
      return;
    }
    for (std::size_t key = 0; key < row.size(); ++key)
      if (row[key] == 0 && shape.block[key] < 0) shape.block[key] = place;
    if (own < 0) own = place;
  }

  MaskedPlane& plane_;
  const ScoreAxes& axes_;
  std::vector<Index> queries_;
  std::vector<const char*> rows_;  // of queries_
  Index least_ = 0;
  MaskShape best_;
};

}  // namespace

MaskShape mask_shape_of(MaskedPlane& plane) { return ShapeFit(plane).best(); }

}  // namespace pe
