// margins: how near the rows of a table come to each other, as the sequence grows.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/lags.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    {.name = "points",
     .help = "lengths, evenly spaced on a logarithmic scale (default: powers of two, and the whole "
             "length; of several --length, each)",
     .lowest = "2",
     .highest = "1000000"}};

// The nearest earlier row of each row, the first of those that cannot be told apart, and whether an
// earlier one is equal to it.
struct Nearest {
  std::vector<double> distance;
  std::vector<Index> row;
  std::vector<char> repeated;
  std::vector<double> squares = {};  // by how far apart two rows stand, where that says it all

  Index row_of(Index at, const Error& error) const;
};

double distance_between(const double* a, const double* b, Index n) {
  double sums[8] = {};
  Index i = 0;
  const auto add = [&](Index at, int lane) {
    const double apart = a[at] - b[at];
    sums[lane] += apart * apart;
  };
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane) add(i + lane, lane);
  for (int lane = 0; i < n; ++i, ++lane) add(i, lane);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

// Whether a distance is less than another by more than both may be off.
bool nearer(double distance, double other, const Error& error) {
  return std::isinf(other) || distance < other - 2 * (error.absolute + error.relative * other);
}

// Rows off by e in each of d entries are off by 2e·√d in a distance, whose own arithmetic rounds
// d/8 + 6 times.
Error error_of(const Rows& rows) {
  const auto d = static_cast<double>(rows.width);
  return {2 * rows.entry * std::sqrt(d), (d / 8 + 8) * 0x1p-53};
}

// The nearest of the rows before one, by the squares of their distances; the first of those that
// cannot be told apart.
struct Search {
  double least = HUGE_VAL, chosen = HUGE_VAL;
  Index row = 0;

  void look(double square, Index at, const Error& error) {
    if (!(square < least)) return;
    least = square;
    if (!nearer(std::sqrt(square), chosen, error)) return;
    chosen = std::sqrt(square);
    row = at;
  }
};

Index Nearest::row_of(Index at, const Error& error) const {
  if (squares.empty()) return row[static_cast<std::size_t>(at)];
  Search search;
  for (Index j = 0; j < at; ++j) search.look(squares[static_cast<std::size_t>(at - j)], j, error);
  return search.row;
}

void begin_pairs(const Question& question, const Rows& rows) {
  const Index count = rows.positions.count;
  const double work = static_cast<double>(count) *
                      (rows.turns ? 2 : static_cast<double>(count) / 2) *
                      static_cast<double>(rows.width);
  begin({.what = fmt::format("every two of {} rows of {} channels", count, rows.width),
         .operations = work,
         .per_second = 4e9,
         .threads = threads_of(question),
         .levers = {{"length", static_cast<double>(count), 2}}});
}

// Of rows that turn |P(p) − P(p+k)|² = 2A²·Σ(1 − cos(kθ_j)) for every p: the outermost two say what
// all do that stand so far apart. None where they do not agree within the error of a distance, or
// where it leaves open that rows are equal.
std::optional<Nearest> nearest_of_turns(const Question& question, const Rows& rows,
                                        const Error& error) {
  const Index count = rows.positions.count;
  const auto size = static_cast<std::size_t>(count);
  Nearest nearest{std::vector<double>(size, HUGE_VAL),
                  {},
                  std::vector<char>(size, 0),
                  std::vector<double>(size, HUGE_VAL)};
  std::atomic<bool> agree = true;
  in_parallel(question, count - 1, [&](Index i) {
    const auto [first, last] = rows.outermost(i + 1);
    const double square = distance_between(first[0], first[1], rows.width),
                 distance = std::sqrt(square),
                 again = std::sqrt(distance_between(last[0], last[1], rows.width)),
                 allowed = 2 * (error.absolute + error.relative * distance);
    if (!(std::fabs(distance - again) <= allowed) || !(distance > 2 * allowed)) agree = false;
    nearest.squares[static_cast<std::size_t>(i + 1)] = square;
  });
  if (!agree) return {};
  for (std::size_t i = 1; i < size; ++i)
    nearest.distance[i] = std::min(nearest.distance[i - 1], std::sqrt(nearest.squares[i]));
  return nearest;
}

Nearest nearest_of(const Question& question, const Rows& rows, const Error& error) {
  if (rows.turns)
    if (auto nearest = nearest_of_turns(question, rows, error)) return *std::move(nearest);
  const Index count = rows.positions.count;
  const auto size = static_cast<std::size_t>(count);
  Nearest nearest{std::vector<double>(size, HUGE_VAL), std::vector<Index>(size, 0),
                  std::vector<char>(size, 0)};
  in_parallel(question, count, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    Search search;
    for (Index j = 0; j < i; ++j)
      search.look(distance_between(rows.row(i), rows.row(j), rows.width), j, error);
    nearest.row[at] = search.row;
    nearest.distance[at] = std::sqrt(search.least);
    // A square below the smallest double is no equality.
    const double *own = rows.row(i), *other = rows.row(nearest.row[at]);
    nearest.repeated[at] = i > 0 && search.least == 0 && std::equal(own, own + rows.width, other);
  });
  return nearest;
}

std::vector<Index> lengths_of(const Question& question, Index count) {
  std::vector<Index> lengths;
  if (question.lengths.size() > 1) {
    for (const Index length : question.lengths) {
      if (length < 2 || length > count)
        throw UsageError(
            fmt::format("--length {}: margins are of 2 to {} rows here", length, count));
      lengths.push_back(length);
    }
    return lengths;
  }
  if (count < 2) throw UsageError(fmt::format("margins are of two rows and more, got {}", count));
  if (question.options.has("points")) {
    for (const Index last : chosen_points(question, count, "lengths"))
      if (last > 0) lengths.push_back(last + 1);
    return lengths;
  }
  for (Index length = 2; length < count; length *= 2) lengths.push_back(length);
  lengths.push_back(count);
  return lengths;
}

Sheet measure(const Question& question) {
  const Rows rows =
      rows_in_memory(question, "margins", [&](const Rows& those) { begin_pairs(question, those); });
  const std::vector<Index> lengths = lengths_of(question, rows.positions.count);
  const Error error = error_of(rows);
  const Nearest nearest = nearest_of(question, rows, error);
  std::vector<double> margin, share, first, second, collisions, adjacent;
  for (const Index length : lengths) {
    Index at = 1, repeated = 0;
    double step = HUGE_VAL, least = HUGE_VAL, squares = 0;
    for (Index i = 0; i < length; ++i) {
      const auto row = static_cast<std::size_t>(i);
      squares += rows.norms[row] * rows.norms[row];
      repeated += nearest.repeated[row];
      least = std::min(least, nearest.distance[row]);
      if (nearer(nearest.distance[row], nearest.distance[static_cast<std::size_t>(at)], error))
        at = i;
      if (i > 0)
        step =
            std::min(step, std::sqrt(distance_between(rows.row(i), rows.row(i - 1), rows.width)));
    }
    margin.push_back(least);
    share.push_back(least / std::sqrt(squares / static_cast<double>(length)));
    first.push_back(rows.positions.value(nearest.row_of(at, error)));
    second.push_back(rows.positions.value(at));
    collisions.push_back(static_cast<double>(repeated));
    adjacent.push_back(step);
  }
  // share's norm is at least the one that margin / share shows, and off as a distance is.
  double norm = std::max(rows.norm, 1e-300);
  for (std::size_t i = 0; i < margin.size(); ++i)
    if (share[i] > 0) norm = std::min(norm, margin[i] / share[i]);
  const std::string ends =
      collisions.back() > 0
          ? fmt::format("{} of {} rows repeat an earlier one, first {} that of {}",
                        collisions.back(), lengths.back(), second.back(), first.back())
          : fmt::format(
                "no two of {} rows are equal; the nearest are {} and {}, {:.4g} apart, and "
                "the nearest neighbours {:.4g}",
                lengths.back(), first.back(), second.back(), margin.back(), adjacent.back());
  return {
      .axes = {placed_axis("length", {lengths.begin(), lengths.end()}, "rows looked at")},
      .columns = {{"margin", "least distance of two rows", std::move(margin), error},
                  {"share",
                   "margin / root mean square norm",
                   std::move(share),
                   {2 * error.absolute / norm, 4 * error.relative}},
                  {"first", "position of the one", std::move(first)},
                  {"second", "position of the other", std::move(second)},
                  {"collisions", "rows that are equal to an earlier one", std::move(collisions)},
                  {"adjacent", "least distance of two neighbours", std::move(adjacent), error}},
      .notes = {ends}};
}

}  // namespace

extern constinit const Quantity margins{
    .name = "margins",
    .also = "distance distances unique 距离 最小距离 唯一性",
    .summary =
        "the least distance between two rows of a table as the length grows, and rows that "
        "collide",
    .definition =
        "margin(L) = min |P(p) − P(q)| over p < q < L; collisions(L) = the rows below L "
        "that are equal to an earlier one, as stored in the dtype; share = margin over the root "
        "mean square of the norms of the rows below L; adjacent = the least |P(p) − P(p+1)|",
    .source =
        "what the uniqueness of positions asks of a table (Vaswani et al. 2017, "
        "arXiv:1706.03762, §3.5)",
    .accuracy =
        "distances from differences in double, every pair looked at, or one for each offset "
        "where a table of waves says that all are alike; positions and counts are exact.",
    .columns = "margin share first second collisions adjacent",
    .subjects = "table",
    .parameters = options,
    .example = "sinusoidal --dim 64 --length 4096 --dtype bf16",
    .usual_length = 2048,
    .several_lengths = true,
    .files = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
