// The rows of a table of weights against those that are meant.
#include "pe/diagnosis/biases/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/ulp.hpp"
#include "pe/diagnosis/biases/trained.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

/// The weights of a bucket, by head: in the dump, and as they are meant.
struct BucketRow {
  std::vector<double> held, meant;

  bool is_right() const { return held == meant; }
  bool is_zero() const {
    return std::ranges::all_of(held, [](double weight) { return weight == 0; });
  }
};
using BucketRows = std::map<Index, BucketRow>;  // of the buckets that some pair shows

// As the file's type has it.
double stored_as(DType dtype, double value) {
  double rounded = 0;
  round_to(dtype, {&value, 1}, &rounded);
  return rounded;
}

// From the first pair of each bucket that no mask hides, head by head.
BucketRows rows_of(const BiasObservation& observation, const Stored& array) {
  const BiasShape& shape = observation.shape;
  const Buckets& buckets = *observation.bias->buckets;
  BucketRows rows;
  std::vector<double> row(static_cast<std::size_t>(shape.keys));
  for (Index head = 0; head < shape.heads; ++head) {
    std::map<Index, bool> seen;
    for (Index q = shape.queries; q-- > 0;) {
      array.read((head * shape.queries + q) * shape.keys, shape.keys, row.data());
      const std::int64_t query = shape.first_query + q;
      for (Index k = 0; k < shape.keys; ++k) {
        const std::int64_t key = shape.first_key + k;
        const double held = row[static_cast<std::size_t>(k)];
        if (observation.is_hidden(head, query, key) || observation.mask->holds(held)) continue;
        const Index bucket = buckets.of(query, key);
        if (!seen.try_emplace(bucket, true).second) continue;
        double meant = 0;
        observation.evaluate(observation.base, head, query, key, 1, &meant);
        rows[bucket].held.push_back(held);
        rows[bucket].meant.push_back(stored_as(array.dtype, meant));
      }
    }
  }
  return rows;
}

// Every bucket holds the weight of the one so far behind it.
std::optional<Reason> rolled(const BucketRows& rows, Index count) {
  constexpr Index farthest = 4;
  for (Index by = -farthest; by <= farthest; ++by) {
    std::size_t asked = 0, right = 0;
    for (const auto& [bucket, row] : rows) {
      const auto other = rows.find((bucket + by + count) % count);
      if (by == 0 || other == rows.end()) continue;
      ++asked;
      right += row.held == other->second.meant;
    }
    if (asked >= 4 && right == asked)
      return Reason{Cause::bucket_offset,
                    fmt::format("every bucket holds the weight of the bucket {:+} from it", by)};
  }
  return {};
}

// The weights that were given, read in another order: each bucket's, of every head, and unseen ones
// too.
std::optional<Reason> read_otherwise(const Expectation& expected, const BucketRows& rows,
                                     DType dtype) {
  const Parameters& parameters = expected.parameters;
  const Array* given = parameters.has("weights") ? &parameters.tensor("weights") : nullptr;
  if (!given || given->rank() != 2 || rows.size() < 4) return {};
  const Index count = given->shape()[0], heads = given->shape()[1];
  const auto is_read = [&](auto place) {  // of a bucket and a head, among the numbers given
    return std::ranges::all_of(rows, [&](const auto& one) {
      const auto& [bucket, row] = one;
      if (std::ssize(row.held) != heads || bucket >= count) return false;
      for (Index head = 0; head < heads; ++head)
        if (row.held[static_cast<std::size_t>(head)] !=
            stored_as(dtype, given->at(place(bucket, head))))
          return false;
      return true;
    });
  };
  if (is_read([=](Index bucket, Index head) { return (count - 1 - bucket) * heads + head; }))
    return Reason{Cause::rows_permuted,
                  fmt::format("the weights that were given are read backwards: bucket b holds "
                              "those of bucket {} - b",
                              count - 1)};
  if (heads > 1 && is_read([=](Index bucket, Index head) { return head * count + bucket; }))
    return Reason{Cause::transposed,
                  fmt::format("the weights that were given are read as [{0}, {1}], head by head, "
                              "where they are [{1}, {0}]",
                              heads, count)};
  std::set<double> all;
  for (Index i = 0; i < given->size(); ++i) all.insert(stored_as(dtype, given->at(i)));
  const bool are_given = std::ranges::all_of(rows, [&](const auto& one) {
    return std::ranges::all_of(one.second.held,
                               [&](double weight) { return all.contains(weight); });
  });
  if (!are_given) return {};
  return Reason{Cause::other_weights,
                "every number is one of the weights that were given, and not its own bucket's or "
                "head's"};
}

std::string spell(const std::vector<Index>& buckets) {
  constexpr std::size_t most = 8;
  if (buckets.size() == 1) return fmt::format("bucket {} holds", buckets[0]);
  if (buckets.size() <= most) return fmt::format("buckets {} hold", fmt::join(buckets, ", "));
  return fmt::format("{} buckets, the first {}, hold", buckets.size(), buckets[0]);
}

bool are_exchanged(const BucketRows& rows, const std::vector<Index>& wrong) {
  std::vector<std::vector<double>> held, meant;
  for (const Index bucket : wrong) {
    held.push_back(rows.at(bucket).held);
    meant.push_back(rows.at(bucket).meant);
  }
  std::ranges::sort(held);
  std::ranges::sort(meant);
  return held == meant;
}

}  // namespace

std::optional<Reason> other_weights(const Expectation& expected, const BiasObservation& observation,
                                    const Stored& array) {
  if (!observation.bias->buckets || !observation.bias->fill || array.shape.size() < 2) return {};
  try {
    if (diagnose_trained_bias(expected, array).tier != Tier::exact) return {};
  } catch (const UsageError&) {
    return {};
  }
  const BucketRows rows = rows_of(observation, array);
  if (auto reason = rolled(rows, observation.bias->buckets->count)) return reason;
  std::vector<Index> wrong;
  for (const auto& [bucket, row] : rows)
    if (!row.is_right()) wrong.push_back(bucket);
  if (wrong.empty()) return {};
  if (std::ranges::all_of(wrong, [&](Index bucket) { return rows.at(bucket).is_zero(); }))
    return Reason{Cause::other_weights,
                  fmt::format("{} 0, where a weight is meant; the others are right", spell(wrong))};
  if (2 * wrong.size() > rows.size())
    if (auto reason = read_otherwise(expected, rows, array.dtype)) return reason;
  if (are_exchanged(rows, wrong))
    return Reason{Cause::other_weights,
                  fmt::format("{} one another's weights; the others are right", spell(wrong))};
  if (2 * wrong.size() <= rows.size())
    return Reason{
        Cause::other_weights,
        fmt::format("{} other weights than were given; the others are right", spell(wrong))};
  return Reason{Cause::other_weights,
                "each bucket of each head holds one value, and not the weight that was given: "
                "another layer's, or another model's"};
}

}  // namespace pe
