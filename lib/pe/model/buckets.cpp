// Bucket boundaries as integers, found by comparing integer powers.
#include "pe/model/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "pe/base/error.hpp"

namespace pe {
namespace {

using boost::multiprecision::cpp_int;

// The least distance of each logarithmic bucket max_exact + t, t = 0 … steps−1.
std::vector<std::int64_t> logarithmic_starts(Index max_exact, Index steps,
                                             std::int64_t max_distance) {
  const auto power = static_cast<unsigned>(steps);
  std::vector<std::int64_t> starts{max_exact};
  cpp_int left = pow(cpp_int(max_exact), power),
          right = left;  // max_exact^(n'−t)·… kept as two integers
  for (Index t = 1; t < steps; ++t) {
    // m^n' · max_exact^t ≥ max_distance^t · max_exact^n', cleared of fractions.
    right = pow(cpp_int(max_distance), static_cast<unsigned>(t)) * left;
    const cpp_int scale = pow(cpp_int(max_exact), static_cast<unsigned>(t));
    std::int64_t low = starts.back(), high = max_distance;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (pow(cpp_int(middle), power) * scale >= right)
        high = middle;
      else
        low = middle + 1;
    }
    starts.push_back(low);
  }
  return starts;
}

// The greatest distance of each bucket mid + t, t = 0 … mid−1.
std::vector<std::int64_t> deberta_ends(Index mid, std::int64_t max_position) {
  const auto power = static_cast<unsigned>(mid - 1);
  const cpp_int whole = pow(cpp_int(mid), power);
  std::vector<std::int64_t> ends{mid};
  for (Index t = 1; t < mid; ++t) {
    const auto step = static_cast<unsigned>(t);
    const cpp_int scale = pow(cpp_int(mid), step),
                  right = pow(cpp_int(max_position - 1), step) * whole;
    std::int64_t low = ends.back(), high = max_position - 1;
    while (low < high) {
      const std::int64_t middle = high - (high - low) / 2;
      if (pow(cpp_int(middle), power) * scale <= right)
        low = middle;
      else
        high = middle - 1;
    }
    ends.push_back(low);
  }
  return ends;
}

}  // namespace

Buckets clipped_buckets(Index max_distance) {
  return {2 * max_distance + 1, max_distance, [max_distance](std::int64_t query, std::int64_t key) {
            return std::clamp<std::int64_t>(key - query, -max_distance, max_distance) +
                   max_distance;
          }};
}

Buckets t5_buckets(Index num_buckets, std::int64_t max_distance, bool bidirectional) {
  const Index one_way = bidirectional ? num_buckets / 2 : num_buckets, max_exact = one_way / 2;
  if (max_exact < 1)
    throw UsageError(fmt::format("--num-buckets must be at least {} here, got {}",
                                 bidirectional ? 4 : 2, num_buckets));
  if (max_distance <= max_exact)
    throw UsageError(
        fmt::format("--max-distance must exceed the {} buckets of one distance each, got {}",
                    max_exact, max_distance));
  const auto starts = logarithmic_starts(max_exact, one_way - max_exact, max_distance);
  const auto bucket = [=](std::int64_t query, std::int64_t key) -> Index {
    const std::int64_t relative = key - query;
    const Index offset = bidirectional && relative > 0 ? one_way : 0;
    const std::int64_t distance = bidirectional ? (relative < 0 ? -relative : relative)
                                                : std::max<std::int64_t>(-relative, 0);
    if (distance < max_exact) return offset + distance;
    const auto above = std::upper_bound(starts.begin(), starts.end(), distance);
    return offset + max_exact + (above - starts.begin()) - 1;
  };
  return {num_buckets, starts.back(), bucket};
}

Buckets deberta_buckets(Index num_buckets, std::int64_t max_position, bool reversed) {
  const Index mid = num_buckets / 2, span = num_buckets > 0 ? num_buckets : max_position,
              sign = reversed ? -1 : 1;
  if (num_buckets == 0)
    return {2 * span, span, [=](std::int64_t query, std::int64_t key) {
              return std::clamp<std::int64_t>(sign * (query - key) + span, 0, 2 * span - 1);
            }};
  if (num_buckets % 2 != 0 || mid < 2)
    throw UsageError(fmt::format(
        "--position-buckets must be even and 4 at least, or 0 for none, got {}", num_buckets));
  if (max_position <= mid + 1)
    throw UsageError(fmt::format(
        "--max-relative-positions must exceed {}, half of --position-buckets and one, got {}",
        mid + 1, max_position));
  const auto bucket = [=, ends = deberta_ends(mid, max_position)](std::int64_t query,
                                                                  std::int64_t key) -> Index {
    const std::int64_t offset = sign * (query - key), distance = offset < 0 ? -offset : offset;
    Index size = distance;
    if (distance > mid)
      size = mid + (std::lower_bound(ends.begin(), ends.end(), distance) - ends.begin());
    return std::clamp<Index>((offset < 0 ? -size : size) + span, 0, 2 * span - 1);
  };
  return {2 * span, max_position, bucket};
}

}  // namespace pe
