// The bucket of each offset, read off the weights that stand there.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "pe/base/ulp.hpp"
#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

using Row = std::vector<double>;  // a number for each head

class MapReader {
 public:
  explicit MapReader(Kept<BiasObservation> observation)
      : observation_(observation), shape_(observation_.shape) {
    const Buckets& buckets = *observation_.bias->buckets;
    each_offset([&](std::int64_t query, std::int64_t key) {
      const auto [at, is_new] = meant_.try_emplace(buckets.of(query, key));
      if (!is_new) return;
      at->second.resize(static_cast<std::size_t>(shape_.heads));
      for (Index head = 0; head < shape_.heads; ++head)
        observation_.evaluate(observation_.base, head, query, key, 1,
                              &at->second[static_cast<std::size_t>(head)]);
    });
  }

  /// The bucket of every offset that the dump shows, its own where it may be; empty where some
  /// offset holds no bucket's weights, or several buckets share theirs.
  std::map<std::int64_t, Index> read() const {
    std::map<Row, Index> bucket_of;
    for (const auto& [bucket, row] : meant_)
      if (!bucket_of.emplace(stored(row), bucket).second) return {};
    std::map<std::int64_t, Index> found;
    bool all = true;
    each_offset([&](std::int64_t query, std::int64_t key) {
      if (!all) return;
      Row row(static_cast<std::size_t>(shape_.heads));
      for (Index head = 0; head < shape_.heads; ++head)
        observation_.array->read(
            ((head * shape_.queries + query - shape_.first_query) * shape_.keys) + key -
                shape_.first_key,
            1, &row[static_cast<std::size_t>(head)]);
      const auto one = bucket_of.find(row);
      all = one != bucket_of.end() && one->first == row;  // NaN is no weight
      if (all) found[key - query] = one->second;
    });
    return all ? found : std::map<std::int64_t, Index>{};
  }

  const Row& weights(Index bucket) const { return meant_.at(bucket); }

 private:
  // Along the last row and down the last column, where they are not hidden.
  void each_offset(const auto& visit) const {
    const std::int64_t last = shape_.first_query + shape_.queries - 1;
    for (Index k = 0; k < shape_.keys; ++k)
      if (const std::int64_t key = shape_.first_key + k; is_shown(last, key)) visit(last, key);
    for (Index q = 0; q + 1 < shape_.queries; ++q)
      if (const std::int64_t query = shape_.first_query + q, key = shape_.last_key();
          is_shown(query, key))
        visit(query, key);
  }
  bool is_shown(std::int64_t query, std::int64_t key) const {
    return !observation_.is_later(query, key) && !observation_.is_hidden(0, query, key);
  }
  Row stored(const Row& row) const {
    Row rounded(row.size());
    round_to(observation_.dtype, row, rounded.data());
    return rounded;
  }

  const BiasObservation& observation_;
  const BiasShape& shape_;
  std::map<Index, Row> meant_;  // of the buckets that some offset of the dump has
};

}  // namespace

BiasProposals offer_read_map(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  constexpr Index most = 1 << 14;  // offsets
  const BiasShape& shape = observation.shape;
  if (!observation.bias->buckets || !observation.bias->buckets->by_offset ||
      !observation.bias->fill || shape.slopes || shape.heads < 2 ||
      shape.heads != observation.bias->heads || shape.queries + shape.keys > most ||
      !is_first(observation, hypothesis))
    return {};
  const MapReader reader(observation);
  const auto rows = std::make_shared<std::map<std::int64_t, Row>>();
  std::map<Index, Index> held;  // by the bucket that is meant
  bool is_rule = true;          // of the buckets alone: weights stand in each other's place
  Index others = 0;
  std::int64_t nearest = 0;
  std::string first;
  const std::int64_t query = shape.first_query + shape.queries - 1;
  for (const auto& [offset, bucket] : reader.read()) {
    rows->emplace(offset, reader.weights(bucket));
    const Index meant = observation.bias->buckets->of(query, query + offset);
    is_rule = is_rule && held.try_emplace(meant, bucket).first->second == bucket;
    if (bucket == meant) continue;
    if (others++ > 0 && std::abs(offset) >= std::abs(nearest)) continue;
    nearest = offset;
    first = fmt::format("key - query = {} has bucket {}, where {} is meant", offset, bucket, meant);
  }
  std::set<Index> values;
  for (const auto& [meant, bucket] : held) values.insert(bucket);
  if (others == 0 || (is_rule && values.size() == held.size())) return {};
  const auto value = [rows](Index head, std::int64_t of, std::int64_t key) {
    const auto row = rows->find(key - of);
    return row == rows->end() ? std::nan("") : row->second[static_cast<std::size_t>(head)];
  };
  // A list of offsets says less than two causes do.
  constexpr double of_one = 1.3, of_many = 2.6;
  return {{of_pairs(hypothesis, value),
           others == 1
               ? first
               : fmt::format("{}; {} of {} offsets have another's", first, others, rows->size()),
           others == 1 ? of_one : of_many}};
}

}  // namespace pe
