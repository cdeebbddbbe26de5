// A pass over the matrix for a map of buckets: does each bucket of each head hold one value, and
// different ones different values.
#include "pe/diagnosis/biases/trained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "pe/base/error.hpp"
#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/buckets/maps.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/mask/mask.hpp"

namespace pe {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Matrix {
  const Stored* array = nullptr;
  ScoreAxes axes;
  DumpMask mask;
};

Matrix matrix_of(const Expectation&, const Stored&&) = delete;  // it is kept
Matrix matrix_of(const Expectation& expected, const Stored& array) {
  refuse_long_rows(array);
  const std::optional<ScoreAxes> axes =
      array.shape.size() < 2 ? std::nullopt : score_axes(array.shape, 0);
  if (!axes || axes->queries > axes->keys)
    throw UsageError(fmt::format(
        "{} has the shape {}: a bias is [head, query, key], with or without a batch before it",
        array.shown, spell_shape(array.shape)));
  Matrix matrix{&array, *axes, {}};
  place(matrix.axes, expected.first);
  const std::optional<Index>& positions = std::get<Bias>(expected.effect).buckets->positions;
  if (positions && (matrix.axes.first_key < 0 || matrix.axes.last_key() >= *positions ||
                    matrix.axes.first_query < 0))
    throw UsageError(
        fmt::format("{} has keys at positions {} to {}, and this bias has {} positions",
                    array.shown, matrix.axes.first_key, matrix.axes.last_key(), *positions));
  matrix.mask = DumpMask(array, matrix.axes);
  return matrix;
}

// How far a matrix is from having one value for each bucket.
struct Agreement {
  Index cells = 0, off = 0;
  Index again = 0;  // cells of a bucket whose weight another cell had shown
  double worst = 0;
  std::optional<Cell> first, worst_cell;
  Index alike =
      0;  // buckets that share all of their weights with the one before: a coarser map made them

  bool holds() const { return cells > 0 && off == 0 && alike == 0; }
};

// The weight of each bucket and head, [bucket][head]; NaN: none was seen.
using Weights = std::vector<std::vector<double>>;

// What of a matrix is looked at, and where its queries are taken to stand.
struct Looked {
  Index planes = 0, queries = 0;
  std::int64_t shift = 0;  // added to every query's position
  bool transposed = false;
  Index step = 1;                  // every so many queries, and the last
  std::vector<bool> skipped = {};  // rows, plane by plane; empty: none
};

// Every pair that is looked at and not hidden: visit(bucket, plane, query, key, value), indices.
template <typename Visit>
void each_pair(const Matrix& matrix, const Buckets& buckets, const Looked& looked, Visit visit) {
  const ScoreAxes& axes = matrix.axes;
  std::vector<double> row(static_cast<std::size_t>(axes.keys));
  for (Index plane = 0; plane < looked.planes; ++plane)
    for (Index q = 0; q < looked.queries; ++q) {
      if (q % looked.step != 0 && q + 1 != looked.queries) continue;
      if (const auto at = static_cast<std::size_t>(plane * axes.queries + q);
          at < looked.skipped.size() && looked.skipped[at])
        continue;
      matrix.array->read((plane * axes.queries + q) * axes.keys, axes.keys, row.data());
      const std::int64_t query = axes.first_query + q + looked.shift;
      for (Index k = 0; k < axes.keys; ++k) {
        const std::int64_t key = axes.first_key + k;
        const Index bucket = looked.transposed ? buckets.of(key, query) : buckets.of(query, key);
        if (bucket < 0 || bucket >= buckets.count)
          throw std::logic_error("a bucket lies beyond the table of its weights");
        visit(static_cast<std::size_t>(bucket), plane, q, k, row[static_cast<std::size_t>(k)]);
      }
    }
}

// The value that most of a bucket's pairs hold, where most of them hold one (Boyer & Moore 1981).
Weights majority(const Matrix& matrix, const Buckets& buckets, const Looked& looked) {
  const auto heads = static_cast<std::size_t>(matrix.axes.heads);
  Weights weights(static_cast<std::size_t>(buckets.count), std::vector<double>(heads, nothing));
  std::vector<std::vector<Index>> votes(weights.size(), std::vector<Index>(heads, 0));
  each_pair(matrix, buckets, looked,
            [&](std::size_t bucket, Index plane, Index q, Index k, double value) {
              if (matrix.mask.hides(plane, q, k)) return;
              const auto head = static_cast<std::size_t>(plane % matrix.axes.heads);
              Index& count = votes[bucket][head];
              if (count == 0) weights[bucket][head] = value;
              count += value == weights[bucket][head] ? 1 : -1;
              count = std::max<Index>(count, 0);
            });
  return weights;
}

void note(Agreement& seen, Cell cell) {
  ++seen.off;
  if (!seen.first) seen.first = cell;
  if (!(std::fabs(cell.got - cell.expected) <= seen.worst)) {
    seen.worst = std::fabs(cell.got - cell.expected);
    if (std::isnan(seen.worst)) seen.worst = HUGE_VAL;
    seen.worst_cell = std::move(cell);
  }
}

// `weights`: those to compare with; else the first value seen of each bucket.
Agreement agreement(const Matrix& matrix, const Buckets& buckets, const Looked& looked,
                    std::optional<Weights> given = {}) {
  const ScoreAxes& axes = matrix.axes;
  Agreement seen;
  Weights weights =
      given ? std::move(*given)
            : Weights(static_cast<std::size_t>(buckets.count),
                      std::vector<double>(static_cast<std::size_t>(axes.heads), nothing));
  each_pair(matrix, buckets, looked,
            [&](std::size_t bucket, Index plane, Index q, Index k, double value) {
              const Index head = plane % axes.heads;
              const bool hidden = matrix.mask.hides(plane, q, k);
              if (hidden && matrix.mask.holds(value)) return;
              double& weight = weights[bucket][static_cast<std::size_t>(head)];
              if (std::isnan(weight) && !hidden)
                weight = value;
              else
                ++seen.again;
              seen.cells += !hidden;
              if (value == weight && !hidden && std::isfinite(value)) return;
              note(seen, {fmt::format("head {}, query {}, key {}", head, axes.first_query + q,
                                      axes.first_key + k),
                          hidden ? -HUGE_VAL : weight, value});
            });
  const std::vector<double>* before = nullptr;  // of the buckets seen
  for (const std::vector<double>& own : weights) {
    if (std::isnan(own[0])) continue;
    seen.alike +=
        before && own == *before && std::ranges::any_of(own, [](double w) { return w != 0; });
    before = &own;
  }
  return seen;
}

// By where the last query's numbers change, against where the map's buckets do.
std::vector<std::int64_t> moves_of_changes(const ScoreAxes& axes, const Buckets& meant,
                                           const std::vector<double>& row) {
  if (!meant.by_offset || axes.keys < 2) return {};
  return moves_along(axes.first_query + axes.queries - 1, axes.first_key + 1, axes.keys - 1,
                     [&](Index i, std::int64_t offset) {
                       const bool changes =
                           row[static_cast<std::size_t>(i + 1)] != row[static_cast<std::size_t>(i)];
                       return changes == (meant.of(0, offset) != meant.of(0, offset - 1));
                     });
}

constexpr std::pair<BucketFault, Cause> faults[] = {
    {BucketFault::direction, Cause::bucket_direction},
    {BucketFault::max_distance, Cause::bucket_max_distance},
    {BucketFault::count, Cause::bucket_count},
    {BucketFault::boundary, Cause::bucket_boundary},
    {BucketFault::offset, Cause::bucket_offset},
    {BucketFault::axes, Cause::axes_swapped},
    {BucketFault::signs, Cause::bucket_transposed}};

// The same on some rows of one head.
Looked glance(Looked looked) {
  constexpr Index rows = 48;
  looked.planes = 1;
  looked.step = std::max<Index>(1, looked.queries / rows);
  return looked;
}

// A map that heads share holds on some rows of one of them, or nowhere.
bool holds(const Matrix& matrix, const Buckets& buckets, const Looked& looked) {
  return agreement(matrix, buckets, glance(looked)).off == 0 &&
         agreement(matrix, buckets, looked).holds();
}

// Whether the buckets of a map have several keys each, on the average: one key alone is any map's.
bool is_shown(const Matrix& matrix, const Buckets& buckets, const Looked& looked) {
  std::set<std::size_t> seen;
  Index cells = 0;
  Looked first = looked;
  first.planes = 1;
  each_pair(matrix, buckets, first, [&](std::size_t bucket, Index plane, Index q, Index k, double) {
    if (matrix.mask.hides(plane, q, k)) return;
    seen.insert(bucket);
    ++cells;
  });
  return cells >= 3 * std::ssize(seen);
}

bool is_zero_row(const Matrix& matrix, Index row) {
  const ScoreAxes& axes = matrix.axes;
  std::vector<double> values(static_cast<std::size_t>(axes.keys));
  matrix.array->read(row * axes.keys, axes.keys, values.data());
  return std::ranges::all_of(values,
                             [&](double value) { return value == 0 || matrix.mask.holds(value); });
}

// The first query whose row and all behind it hold nothing but zeros, in every plane.
Index zero_from(const Matrix& matrix) {
  const ScoreAxes& axes = matrix.axes;
  Index from = axes.queries;
  for (Index plane = 0; plane < axes.planes(); ++plane) {
    Index own = axes.queries;
    while (own > 0 && is_zero_row(matrix, plane * axes.queries + own - 1)) --own;
    from = plane == 0 ? own : std::max(from, own);
  }
  return from;
}

// Whole rows of queries that hold nothing but zeros, where the others have one value for each
// bucket.
std::optional<Reason> without_bias(const Matrix& matrix, const Buckets& meant, Looked looked) {
  const ScoreAxes& axes = matrix.axes;
  std::optional<Index> first;
  for (Index row = 0; row < axes.rows(); ++row) {
    looked.skipped.push_back(is_zero_row(matrix, row));
    if (looked.skipped.back() && !first) first = row;
  }
  if (!first) return {};
  const auto count = std::ranges::count(looked.skipped, true);
  const Agreement rest = agreement(matrix, meant, looked);
  if (count == axes.rows() || rest.off > 0 || rest.again == 0) return {};
  return Reason{Cause::bias_zero,
                fmt::format("there is no bias for {} of {} rows of queries, the first that of head "
                            "{}, query {}",
                            count, axes.rows(), *first / axes.queries % axes.heads,
                            axes.first_query + *first % axes.queries)};
}

std::optional<Reason> reason_of(const Expectation& expected, const Buckets& meant,
                                const Matrix& matrix) {
  const ScoreAxes& axes = matrix.axes;
  const Looked all{.planes = axes.planes(), .queries = axes.queries};
  Looked other = all;
  if (const Index from = zero_from(matrix); from < axes.queries) {
    other.queries = from;
    if (from == 0 || agreement(matrix, meant, other).off == 0)
      return Reason{Cause::bias_zero,
                    from == 0
                        ? std::string("every value is 0: the bias was dropped")
                        : fmt::format("there is no bias for queries from position {} on, as where "
                                      "decoding with a cache drops it",
                                      axes.first_query + from)};
  }
  if (auto reason = without_bias(matrix, meant, all)) return reason;
  other = all;
  other.transposed = true;
  if (holds(matrix, meant, other))
    return Reason{Cause::bucket_transposed,
                  "the buckets are those of the offset's other sign: query and key are exchanged"};
  other = all;
  other.shift = axes.first_key - axes.first_query;
  if (axes.queries != axes.keys && holds(matrix, meant, other))
    return Reason{Cause::bias_alignment, spell_misaligned(axes.queries, axes.keys)};
  std::optional<BucketMap> best;
  Cause name{};
  std::vector<double> row(static_cast<std::size_t>(axes.keys));
  matrix.array->read((axes.queries - 1) * axes.keys, axes.keys, row.data());
  const std::int64_t last_query = axes.first_query + axes.queries - 1;
  const std::vector<std::int64_t> changes = changes_along(last_query, axes.first_key, row);
  const BucketEvidence evidence{
      std::max<std::int64_t>(last_query - axes.first_key, axes.last_key()) + 1,
      balance_of(changes, last_query - axes.first_key + 1), changes,
      moves_of_changes(axes, meant, row)};
  for (const auto& [fault, cause] : faults)
    for (BucketMap& map : bucket_maps(expected, meant, fault, evidence)) {
      if (map.buckets.rule && !map.buckets.rule->clamped)
        continue;  // beyond the table nobody's weights lie
      if ((!best || map.cost < best->cost) && holds(matrix, map.buckets, all) &&
          is_shown(matrix, map.buckets, all)) {
        best = std::move(map);
        name = cause;
      }
    }
  if (best) return Reason{name, best->sentence};
  Looked some = glance(all);
  some.planes = axes.planes();
  const Agreement most = agreement(matrix, meant, all, majority(matrix, meant, some));
  const bool broken = most.worst_cell && !std::isfinite(most.worst_cell->got);
  if (broken ||
      (most.off > 0 && most.alike == 0 && most.cells >= 64 && 50 * most.off <= most.cells))
    return Reason{
        broken ? Cause::not_finite : Cause::damaged_cells,
        fmt::format("{} of {} cells, the first at {}", most.off, most.cells, most.first->place)};
  return {};
}

}  // namespace

bool has_given_weights(const Expectation& expected) {
  return std::ranges::any_of(expected.parameters.entries(), [](const Parameters::Entry& entry) {
    return entry.type == Parameter::Type::tensor;
  });
}

bool has_drawn_weights(const Expectation& expected) {
  const auto& entries = expected.parameters.entries();
  const auto seed = std::ranges::find(entries, "seed", &Parameters::Entry::name);
  const bool by_bucket = std::get<Bias>(expected.effect).scaled_terms == 1;  // and by nothing else
  return by_bucket && !has_given_weights(expected) && seed != entries.end() &&
         seed->origin == "default";
}

Diagnosis diagnose_trained_bias(const Expectation& expected, const Stored& array) {
  const auto& bias = std::get<Bias>(expected.effect);
  const Matrix matrix = matrix_of(expected, array);
  const ScoreAxes& axes = matrix.axes;
  const Agreement seen =
      agreement(matrix, *bias.buckets, {.planes = axes.planes(), .queries = axes.queries});
  Diagnosis diagnosis;
  diagnosis.what = fmt::format("trained bias of {} heads, {} [{}]", axes.heads,
                               name_of(array.dtype), spell_shape(array.shape));
  diagnosis.layout = "head, query, key";
  diagnosis.cells = seen.cells;
  diagnosis.rounded_otherwise = seen.off;
  diagnosis.worst = diagnosis.before = diagnosis.after = seen.worst;
  diagnosis.first_wrong = seen.first;
  if (seen.worst_cell) diagnosis.worst_cell = *seen.worst_cell;
  diagnosis.bound_from = "0: the values of a bucket are copies of one weight";
  diagnosis.coverage = fmt::format("all {} cells that are not masked", seen.cells);
  if (seen.cells == 0)
    throw UsageError(fmt::format("{} is masked throughout: it tells nothing", array.shown));
  if (seen.holds() && seen.again == 0)
    throw UsageError(
        fmt::format("{} shows each of its {} weights once, and any number may be one: nothing can "
                    "be told without --weights",
                    array.shown, seen.cells));
  diagnosis.notes.push_back(
      "the weights were not given (--weights): only that each bucket of each head holds one value "
      "was looked at");
  const bool zero = seen.off == 0 && is_zero_row(matrix, axes.queries - 1);
  diagnosis.tier = seen.holds() && !zero ? Tier::exact : Tier::wrong;
  if (const auto mask =
          diagnosis.tier == Tier::exact ? wrong_mask(expected, matrix.mask, axes) : std::nullopt) {
    diagnosis.tier = Tier::wrong;
    diagnosis.reasons.push_back(*mask);
  } else if (diagnosis.tier == Tier::exact) {
    diagnosis.arithmetic = "copies of one weight for each bucket";
  } else if (!expected.searches) {
    return diagnosis;
  } else if (const auto reason = reason_of(expected, *bias.buckets, matrix)) {
    diagnosis.reasons.push_back(*reason);
    diagnosis.after = 0;
  } else if (seen.off == 0) {
    diagnosis.notes.push_back(fmt::format(
        "{} buckets share every weight with the one before, as a coarser map would make them",
        seen.alike));
  }
  return diagnosis;
}

}  // namespace pe
