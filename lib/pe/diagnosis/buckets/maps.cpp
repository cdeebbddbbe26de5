// Maps of buckets: which one an effect has, where a row changes buckets, and a bias behind another.
#include "pe/diagnosis/buckets/maps.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace pe {

std::optional<Buckets> buckets_of(const Effect& effect) {
  if (const Relative* relative = std::get_if<Relative>(&effect)) return relative->buckets;
  const Bias* bias = std::get_if<Bias>(&effect);
  return bias ? bias->buckets : std::nullopt;
}

std::vector<std::int64_t> changes_along(std::int64_t query, std::int64_t first_key,
                                        std::span<const double> values) {
  std::vector<std::int64_t> changes;
  for (std::int64_t distance = 1; distance <= query - first_key; ++distance) {
    const auto at = static_cast<std::size_t>(query - distance - first_key);
    if (at + 1 < values.size() && values[at] != values[at + 1]) changes.push_back(distance);
  }
  return changes;
}

std::vector<std::int64_t> moves_along(
    std::int64_t query, std::int64_t first_key, Index keys,
    const std::function<bool(Index i, std::int64_t offset)>& has) {
  constexpr std::int64_t farthest = 1 << 12;
  constexpr Index seen = 256;
  constexpr std::size_t most = 3;
  const std::int64_t far = std::min<std::int64_t>(farthest, 2 * keys);
  const Index step = std::max<Index>(1, keys / seen), count = (keys + step - 1) / step;
  std::vector<std::pair<Index, std::int64_t>> counted;  // keys that hold something else
  for (std::int64_t move = -far; move <= far; ++move) {
    Index other = 0;
    for (Index i = 0; i < keys && 10 * other <= count; i += step)
      other += !has(i, first_key + i - query + move);
    if (move != 0 && 10 * other <= count) counted.emplace_back(other, move);
  }
  std::ranges::sort(counted, {}, [](const auto& one) {
    return std::tuple(one.first, std::abs(one.second), one.second);
  });
  std::vector<std::int64_t> moves;
  for (const auto& [other, move] : counted)
    if (moves.size() < most) moves.push_back(move);
  return moves;
}

BucketBalance balance_of(std::vector<std::int64_t> changes, std::int64_t farthest) {
  return [changes = std::move(changes), farthest](const Buckets& map) {
    double seen = 0, made = 0;  // a change is counted at every distance from it on
    for (const std::int64_t distance : changes) seen += static_cast<double>(farthest - distance);
    for (std::int64_t distance = 1; distance < farthest; ++distance)
      if (map.of(distance, 0) != map.of(distance - 1, 0))
        made += static_cast<double>(farthest - distance);
    return seen - made;
  };
}

namespace {

// A pair of each bucket, of those that the positions allow.
std::map<Index, std::pair<Index, Index>> pairs_of(const Buckets& buckets, Index farthest) {
  std::map<Index, std::pair<Index, Index>> pairs;
  if (buckets.by_offset) {
    const Index far = std::max<Index>(farthest, buckets.saturation),
                last = buckets.positions ? std::min(far, *buckets.positions - 1) : far;
    for (Index distance = 0; distance <= last; ++distance) {
      pairs.try_emplace(buckets.of(distance, 0), distance, 0);
      pairs.try_emplace(buckets.of(0, distance), 0, distance);
    }
    return pairs;
  }
  const Index places = buckets.positions.value_or(farthest + 1);
  for (Index query = 0; query < places; ++query)
    for (Index key = 0; key < places; ++key) pairs.try_emplace(buckets.of(query, key), query, key);
  return pairs;
}

}  // namespace

Bias with_buckets(const Bias& bias, const Buckets& buckets, Index farthest,
                  const UnreadWeight& unread) {
  // The weights, from the first pair that reads each.
  auto weights =
      std::make_shared<std::vector<std::map<Index, double>>>(static_cast<std::size_t>(bias.heads));
  for (const auto& [bucket, pair] : pairs_of(*bias.buckets, farthest))
    for (Index head = 0; head < bias.heads; ++head) {
      double value = 0;
      bias.fill(head, pair.first, {pair.second, 1, 1, 0}, DType::f64,
                reinterpret_cast<std::byte*>(&value));
      (*weights)[static_cast<std::size_t>(head)][bucket] = value;
    }
  for (const auto& [bucket, pair] : pairs_of(buckets, farthest))
    for (Index head = 0; head < bias.heads; ++head) {
      auto& own = (*weights)[static_cast<std::size_t>(head)];
      if (!own.contains(bucket)) own[bucket] = unread(head, bucket, pair.first, pair.second);
    }
  Bias other = bias;
  other.buckets = buckets;
  other.fill = [weights, of = buckets.of](Index head, std::int64_t query, const PositionRange& keys,
                                          DType, std::byte* out) {
    const auto& own = (*weights)[static_cast<std::size_t>(head)];
    auto* values = reinterpret_cast<double*>(out);
    for (Index i = 0; i < keys.count; ++i) {
      const auto found = own.find(of(query, keys.at(i)));
      values[i] = found == own.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    }
  };
  return other;
}

}  // namespace pe
