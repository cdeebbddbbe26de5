// A mask is known by its shape: every shape that masks have is tried, and the one that the fewest
// cells contradict is taken, if these are few.
#include "pe/diagnosis/mask.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace pe {
namespace {

constexpr double swin = -100, least = -900;  // levels: Swin's, and the smallest of others
constexpr std::size_t most_levels = 3;

// Numbers that lie so near one another, against how low they are, that they are one level with a
// bias added; 0 levels: they are none.
std::size_t levels_in(std::span<const double> sorted) {
  std::size_t count = 0;
  for (std::size_t end = sorted.size(); end > 0;) {
    const double top = sorted[end - 1];
    const bool is_swin = std::fabs(top - swin) <= 10;
    if (!is_swin && top > least) return 0;
    while (end > 0 && sorted[end - 1] >= top - std::fabs(top) / 4) --end;
    ++count;
  }
  return count;
}

// How many of a row's numbers, sorted, are set off below the rest, by more than the rest spans and
// by half of how low they are (so that a row that is hidden as a whole is not split); 0: none.
std::size_t set_off(const std::vector<double>& sorted) {
  const auto low = std::upper_bound(sorted.begin(), sorted.end(), swin + 10) - sorted.begin();
  for (auto count = static_cast<std::size_t>(low); count > 0; --count) {
    if (count == sorted.size()) continue;
    const double gap = sorted[count] - sorted[count - 1], spread = sorted.back() - sorted[count];
    if (gap <= std::max(spread, -sorted[count - 1] / 2)) continue;
    const std::size_t levels = levels_in(std::span(sorted).first(count));
    if (levels > 0 && levels <= most_levels) return count;
  }
  return 0;
}

}  // namespace

bool MaskLevels::holds(double value) const {
  return value <= below || std::ranges::find(exactly, value) != exactly.end();
}

MaskLevels MaskLevels::of(const std::vector<std::vector<double>>& rows) {
  double highest = -HUGE_VAL, lowest = HUGE_VAL;  // that is masked; that is not
  std::vector<double> distinct;
  std::vector<std::vector<double>> whole;
  for (const std::vector<double>& row : rows) {
    std::vector<double> sorted;
    std::ranges::copy_if(row, std::back_inserter(sorted),
                         [](double value) { return std::isfinite(value); });
    if (sorted.empty()) continue;
    std::ranges::sort(sorted);
    const std::size_t count = set_off(sorted);
    if (count == 0) {
      whole.push_back(std::move(sorted));
      continue;
    }
    highest = std::max(highest, sorted[count - 1]);
    lowest = std::min(lowest, sorted[count]);
    for (std::size_t k = 0; k < count && distinct.size() <= most_levels; ++k)
      if (std::ranges::find(distinct, sorted[k]) == distinct.end()) distinct.push_back(sorted[k]);
  }
  // A row of one number all over, far below the other rows, is hidden as a whole.
  const bool others = lowest < HUGE_VAL ||
                      std::ranges::any_of(whole, [](const auto& row) { return row[0] > least; });
  for (const std::vector<double>& row : whole)
    if (others && row.front() == row.back() && row.size() > 1 && row[0] <= least &&
        highest == -HUGE_VAL) {
      highest = row[0];
      distinct = {row[0]};
    }
  if (highest == -HUGE_VAL) return {};
  for (const std::vector<double>& row : whole)
    if (row.back() > highest + std::fabs(highest) / 4) lowest = std::min(lowest, row.front());
  MaskLevels levels;
  if (highest < lowest)
    levels.below = lowest == HUGE_VAL ? highest : highest + (lowest - highest) / 2;
  else if (distinct.size() <= most_levels)
    levels.exactly = std::move(distinct);
  return levels;
}

bool MaskShape::empty() const {
  return rows_before == 0 && keys_before == 0 && block.empty() &&
         rows_from == std::numeric_limits<Index>::max() &&
         keys_from == std::numeric_limits<Index>::max() &&
         past == std::numeric_limits<std::int64_t>::min() &&
         future == std::numeric_limits<std::int64_t>::max();
}

bool MaskShape::hides(const ScoreAxes& axes, Index query, Index key) const {
  if (query < rows_before || query >= rows_from || key < keys_before || key >= keys_from)
    return true;
  const std::int64_t here = axes.first_query + query - axes.first_key, offset = key - here;
  if (!block.empty() && here >= 0 && here < std::ssize(block) &&
      block[static_cast<std::size_t>(here)] != block[static_cast<std::size_t>(key)])
    return true;
  return (offset < past && key >= sinks) || (offset > future && key >= prefix);
}

namespace {

// One plane of a dump, as what its cells hold.
class Plane {
 public:
  Plane(const Stored& array, const ScoreAxes& axes, const MaskLevels& levels, Index number)
      : array_(array), axes_(axes), levels_(levels), number_(number) {}

  /// Whether each cell of a row holds a mask.
  const std::vector<char>& row(Index query) {
    const auto [place, made] = rows_.try_emplace(query);
    if (!made) return place->second;
    std::vector<double> values(static_cast<std::size_t>(axes_.keys));
    array_.read((number_ * axes_.queries + query) * axes_.keys, axes_.keys, values.data());
    for (const double value : values) place->second.push_back(levels_.holds(value));
    return place->second;
  }
  bool is_full(Index query) {
    const std::vector<char>& own = row(query);
    return std::ranges::find(own, char{0}) == own.end();
  }
  const ScoreAxes& axes() const { return axes_; }
  std::vector<Index> sample() const {
    constexpr Index few = 320, edge = 32;
    std::vector<Index> queries;
    for (Index q = 0; q < axes_.queries; ++q)
      if (axes_.queries <= few || q < edge || q >= axes_.queries - edge ||
          q % (axes_.queries / (few - 2 * edge) + 1) == 0)
        queries.push_back(q);
    return queries;
  }
  Index contradictions(const MaskShape& shape, const std::vector<Index>& queries) {
    Index count = 0;
    for (const Index query : queries) {
      const std::vector<char>& own = row(query);
      for (Index key = 0; key < axes_.keys; ++key)
        count += (own[static_cast<std::size_t>(key)] != 0) != shape.hides(axes_, query, key);
    }
    return count;
  }

 private:
  const Stored& array_;
  const ScoreAxes& axes_;
  const MaskLevels& levels_;
  Index number_;
  std::map<Index, std::vector<char>> rows_;
};

// The shapes that a plane may have, from what is hidden on most of each row, column and diagonal.
class ShapeFit {
 public:
  explicit ShapeFit(Plane& plane) : plane_(plane), axes_(plane.axes()), queries_(plane.sample()) {
    for (const Index query : queries_) rows_.push_back(plane.row(query).data());
  }

  MaskShape best() {
    least_ = plane_.contradictions({}, queries_);
    if (least_ == 0) return {};
    // `slack`: part of a row or column that may be otherwise; damage is no end to padding.
    for (const double slack : {0.0, 0.15})
      for (const bool with_rows : {false, true}) {
        MaskShape shape;
        if (with_rows && !add_rows(shape, slack)) continue;
        offer(shape);
        offer_sides(shape);
        MaskShape padded = shape;
        if (!add_keys(padded, slack)) continue;
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

  // How far most of the diagonals from the query's own are seen, in one direction, by keys from
  // `first` on.
  std::int64_t seen(const MaskShape& shape, int direction, Index first) {
    std::int64_t offset = 0;
    for (; std::abs(offset) < axes_.keys + axes_.queries; offset += direction) {
      Index total = 0, open = 0;
      for (std::size_t i = 0; i < queries_.size(); ++i) {
        const Index query = queries_[i];
        const std::int64_t key = axes_.first_query + query - axes_.first_key + offset;
        if (!is_row_open(shape, query) || key < std::max(shape.keys_before, first) ||
            key >= std::min(axes_.keys, shape.keys_from))
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
      for (std::size_t i = 0; i < queries_.size(); ++i) {
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
        const std::int64_t before = seen(from, -1, sunk), after = seen(from, 1, before_all);
        if (before > 0) continue;  // not even the query itself is seen
        MaskShape shape = from;
        if (before < 0 && before > 1 - size) {
          shape.past = before;
          shape.sinks = sunk;
        }
        if (after == 0 || (after == -before && shape.past != open.past)) {
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

  Plane& plane_;
  const ScoreAxes& axes_;
  std::vector<Index> queries_;
  std::vector<const char*> rows_;  // of queries_
  Index least_ = 0;
  MaskShape best_;
};

std::vector<std::vector<double>> some_rows(const Stored& array, const ScoreAxes& axes) {
  constexpr Index most_planes = 24, most_rows = 24, most_keys = Index{1} << 20;
  std::vector<std::vector<double>> rows;
  const Index planes = axes.planes();
  for (Index i = 0; i < std::min(planes, most_planes); ++i) {
    const Index plane = planes <= most_planes ? i : i * (planes - 1) / (most_planes - 1);
    for (Index j = 0; j < std::min(axes.queries, most_rows); ++j) {
      const Index query = axes.queries <= most_rows ? j : j * (axes.queries - 1) / (most_rows - 1);
      std::vector<double> row(static_cast<std::size_t>(std::min(axes.keys, most_keys)));
      array.read((plane * axes.queries + query) * axes.keys, std::ssize(row), row.data());
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

DumpMask::DumpMask(const Stored& array, const ScoreAxes& axes) : axes_(axes) {
  const std::vector<std::vector<double>> rows = some_rows(array, axes);
  levels_ = MaskLevels::of(rows);
  shapes_.emplace_back();
  which_.assign(static_cast<std::size_t>(axes.planes()), 0);
  const auto is_held = [&](double value) { return levels_.holds(value); };
  if (std::ranges::none_of(rows,
                           [&](const auto& row) { return std::ranges::any_of(row, is_held); }))
    return;
  for (Index plane = 0; plane < axes.planes(); ++plane) {
    Plane cells(array, axes_, levels_, plane);
    std::vector<Index> queries = cells.sample();
    if (queries.size() > 16 && plane > 0) {  // a glance, where another plane's may do
      std::vector<Index> few;
      for (std::size_t i = 0; i < 16; ++i) few.push_back(queries[i * (queries.size() - 1) / 15]);
      queries = std::move(few);
    }
    std::size_t own = shapes_.size() - 1;
    if (plane == 0 || cells.contradictions(shapes_[own], queries) > 0) {
      shapes_.push_back(ShapeFit(cells).best());
      own = shapes_.size() - 1;
    }
    which_[static_cast<std::size_t>(plane)] = own;
  }
}

const MaskShape& DumpMask::shape(Index plane) const {
  static const MaskShape none;
  return which_.empty() ? none : shapes_[which_[static_cast<std::size_t>(plane)]];
}

bool DumpMask::any() const {
  return std::ranges::any_of(shapes_, [](const MaskShape& shape) { return !shape.empty(); });
}

bool DumpMask::is_causal() const {
  return !which_.empty() &&
         std::ranges::all_of(which_, [&](std::size_t own) { return shapes_[own].is_causal(); });
}

}  // namespace pe
