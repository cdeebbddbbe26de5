// A pass over the matrix for a map of buckets: does each bucket of each head hold one value, and
// different ones different values.
#include "pe/diagnosis/biases/trained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/base/error.hpp"
#include "pe/diagnosis/buckets/maps.hpp"

namespace pe {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Matrix {
  const Stored* array = nullptr;
  Index heads = 1, queries = 0, keys = 0;
};

Matrix matrix_of(const Stored& array) {
  std::vector<Index> shape;
  for (const Index extent : array.shape)
    if (extent != 1 || shape.size() > 1) shape.push_back(extent);
  while (shape.size() > 3 && shape.back() == 1) shape.pop_back();
  if (shape.size() < 2 || shape.size() > 3)
    throw UsageError(fmt::format("{} has the shape {}: a bias is [head, query, key]", array.shown,
                                 spell_shape(array.shape)));
  return {&array, shape.size() == 3 ? shape[0] : 1, shape[shape.size() - 2], shape.back()};
}

// How far a matrix is from having one value for each bucket.
struct Agreement {
  Index cells = 0, off = 0;
  double worst = 0;
  std::optional<Cell> first, worst_cell;
  Index alike =
      0;  // buckets that share all of their weights with the one before: a coarser map made them

  bool holds() const { return cells > 0 && off == 0 && alike == 0; }
};

Agreement agreement(const Matrix& matrix, const Buckets& buckets, bool transposed) {
  Agreement seen;
  std::vector<std::vector<double>> weights(
      static_cast<std::size_t>(buckets.count),
      std::vector<double>(static_cast<std::size_t>(matrix.heads), nothing));
  std::vector<double> row(static_cast<std::size_t>(matrix.keys));
  for (Index head = 0; head < matrix.heads; ++head)
    for (Index q = 0; q < matrix.queries; ++q) {
      matrix.array->read((head * matrix.queries + q) * matrix.keys, matrix.keys, row.data());
      const Index query = matrix.keys - matrix.queries + q;
      for (Index key = 0; key < matrix.keys; ++key) {
        const double value = row[static_cast<std::size_t>(key)];
        if (value < -1000) continue;
        double& weight = weights[static_cast<std::size_t>(transposed ? buckets.of(key, query)
                                                                     : buckets.of(query, key))]
                                [static_cast<std::size_t>(head)];
        if (std::isnan(weight)) weight = value;
        ++seen.cells;
        if (value == weight) continue;
        ++seen.off;
        const Cell cell{fmt::format("head {}, query {}, key {}", head, query, key), weight, value};
        if (!seen.first) seen.first = cell;
        if (!(std::fabs(value - weight) <= seen.worst)) {
          seen.worst = std::fabs(value - weight);
          seen.worst_cell = cell;
        }
      }
    }
  for (std::size_t b = 1; b < weights.size(); ++b)
    seen.alike += !std::isnan(weights[b][0]) && weights[b] == weights[b - 1] &&
                  std::ranges::any_of(weights[b], [](double w) { return w != 0; });
  return seen;
}

constexpr std::pair<BucketFault, Cause> faults[] = {
    {BucketFault::direction, Cause::bucket_direction},
    {BucketFault::max_distance, Cause::bucket_max_distance},
    {BucketFault::count, Cause::bucket_count},
    {BucketFault::boundary, Cause::bucket_boundary},
    {BucketFault::offset, Cause::bucket_offset}};

std::optional<Reason> reason_of(const Expectation& expected, const Buckets& meant,
                                const Matrix& matrix) {
  if (agreement(matrix, meant, true).holds())
    return Reason{Cause::bucket_transposed,
                  "the buckets are those of the offset's other sign: query and key are exchanged"};
  // Heads share the map, and far queries show most of it.
  Matrix one = matrix;
  one.heads = 1;
  std::optional<BucketMap> best;
  Cause name{};
  for (const auto& [fault, cause] : faults)
    for (BucketMap& map : bucket_maps(expected, meant, fault, {}, {}, matrix.keys))
      if ((!best || map.cost < best->cost) && agreement(one, map.buckets, false).off == 0 &&
          agreement(matrix, map.buckets, false).holds()) {
        best = std::move(map);
        name = cause;
      }
  if (!best) return {};
  return Reason{name, best->sentence};
}

}  // namespace

Diagnosis diagnose_trained_bias(const Expectation& expected, const Stored& array) {
  const auto& bias = std::get<Bias>(expected.effect);
  const Matrix matrix = matrix_of(array);
  const Agreement seen = agreement(matrix, *bias.buckets, false);
  Diagnosis diagnosis;
  diagnosis.what = fmt::format("trained bias of {} heads, {} [{}]", matrix.heads,
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
  diagnosis.notes.push_back(
      "the weights were not given (--weights): only that each bucket of each head holds one value "
      "was looked at");
  const bool zero = seen.off == 0 && [&] {
    std::vector<double> row(static_cast<std::size_t>(matrix.keys));
    array.read(0, matrix.keys, row.data());
    return std::ranges::all_of(row, [](double value) { return value == 0 || value < -1000; });
  }();
  diagnosis.tier = seen.holds() && !zero ? Tier::exact : Tier::wrong;
  if (diagnosis.tier == Tier::exact) {
    diagnosis.arithmetic = "copies of one weight for each bucket";
  } else if (zero) {
    diagnosis.reasons.push_back({Cause::bias_zero, "every value is 0: the bias was dropped"});
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
