// Laws of bucket maps, shared by biases and relative encodings.
#include <fmt/format.h>

#include <algorithm>

#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

constexpr std::int64_t places[] = {0, 1, 7, 1000,
                                   131071};  // queries from which offsets are looked at

// Maps that look at the places themselves are looked at in every pair of the places that there are,
// up to this many.
constexpr Index widest = 2048;
Index places_of(const Buckets& buckets) {
  return std::min(widest, buckets.positions.value_or(widest));
}

template <typename Visit>
void for_pairs(const Buckets& buckets, Visit visit) {
  for (Index query = 0; query < places_of(buckets); ++query)
    for (Index key = 0; key < places_of(buckets); ++key) visit(query, key, buckets.of(query, key));
}

std::string pairs_covered(const Buckets& buckets) {
  return fmt::format("all {0} x {0} pairs of positions", places_of(buckets));
}

Measurement total_by_place(const Buckets& buckets) {
  Measurement result;
  result.power = {HUGE_VAL, "a bucket of the table is not seen to be another one"};
  result.bound_from = fmt::format("pairs outside 0 … {}; none may", buckets.count - 1);
  for_pairs(buckets, [&](Index query, Index key, Index bucket) {
    if ((bucket < 0 || bucket >= buckets.count) && result.worst++ == 0)
      result.witness = fmt::format("query {}, key {}: bucket {}", query, key, bucket);
  });
  result.coverage = pairs_covered(buckets);
  result.exhaustive = buckets.positions && *buckets.positions <= widest;
  return result;
}

Measurement by_offset_by_place(const Buckets& buckets) {
  Measurement result;
  result.power = {1, "any pair but the two that stand alone on their diagonals"};
  result.bound_from =
      "pairs whose bucket differs from that of the pair one position earlier; none may";
  for_pairs(buckets, [&](Index query, Index key, Index bucket) {
    if (query > 0 && key > 0 && bucket != buckets.of(query - 1, key - 1) && result.worst++ == 0)
      result.witness = fmt::format("query {}, key {}: bucket {}, one earlier {}", query, key,
                                   bucket, buckets.of(query - 1, key - 1));
  });
  result.coverage = pairs_covered(buckets);
  result.exhaustive = buckets.positions && *buckets.positions <= widest;
  return result;
}

// Runs of a dump's matrix: from every query outwards, to either side.
Measurement monotone_by_place(const Buckets& buckets) {
  Measurement result;
  result.power = {HUGE_VAL, "a change that keeps the order is not seen"};
  result.bound_from = "turns of direction on either side of a query; none may";
  for (Index query = 0; query < places_of(buckets); ++query)
    for (const int side : {-1, 1}) {
      int direction = 0;
      for (Index key = query + 2 * side; key >= 0 && key < places_of(buckets); key += side) {
        const Index before = buckets.of(query, key - side), here = buckets.of(query, key);
        const int step = (here > before) - (here < before);
        if (step != 0 && direction != 0 && step != direction && result.worst++ == 0)
          result.witness =
              fmt::format("query {}, key {}: bucket {} after {}", query, key, here, before);
        if (step != 0) direction = step;
      }
    }
  result.coverage = pairs_covered(buckets);
  result.exhaustive = buckets.positions && *buckets.positions <= widest;
  return result;
}

// Pairs of a dump's matrix that lie beyond the limit, against the first pair at the limit on their
// side.
Measurement clipped_by_place(const Buckets& buckets) {
  const Index limit = buckets.saturation, seen = places_of(buckets);
  if (limit == 0) return not_told("these buckets never end");
  if (seen <= limit + 1)
    return not_told(
        fmt::format("the dump has {} positions, and the buckets end at distance {}", seen, limit));
  Measurement result;
  result.power = {1, "any pair from the limit on; those nearer are not looked at"};
  result.bound_from = "pairs beyond the limit whose bucket differs from the limit's; none may";
  for_pairs(buckets, [&](Index query, Index key, Index bucket) {
    if (std::abs(key - query) < limit) return;
    const Index meant = key > query ? buckets.of(0, limit) : buckets.of(limit, 0);
    if (bucket != meant && result.worst++ == 0)
      result.witness =
          fmt::format("query {}, key {}: bucket {}, at the limit {}", query, key, bucket, meant);
  });
  if (buckets.of(limit, 0) == buckets.of(limit, 1) &&
      buckets.of(0, limit) == buckets.of(0, limit - 1) && result.worst++ == 0)
    result.witness = fmt::format("the bucket stays the same already at distance {}", limit - 1);
  result.coverage = pairs_covered(buckets);
  return result;
}

// A dump of buckets by offset has the offsets of the case and no others.
bool has_offset(const Case& subject, std::int64_t offset) {
  return !subject.foreign || (offset >= subject.offsets.at(0) &&
                              offset <= subject.offsets.at(subject.offsets.count - 1));
}

Measurement total(const Buckets& buckets, const Case& subject) {
  if (!buckets.by_offset) return total_by_place(buckets);
  Measurement result;
  result.power = {HUGE_VAL, "a bucket of the table is not seen to be another one"};
  result.bound_from = fmt::format("pairs outside 0 … {}; none may", buckets.count - 1);
  for (const std::int64_t query : places)
    for (Index i = 0; i < subject.offsets.count; ++i) {
      const Index bucket = buckets.of(query, query + subject.offsets.at(i));
      if ((bucket < 0 || bucket >= buckets.count) && result.worst++ == 0)
        result.witness =
            fmt::format("query {}, offset {}: bucket {}", query, subject.offsets.at(i), bucket);
    }
  result.coverage =
      fmt::format("{} offsets from {} queries", subject.offsets.count, std::size(places));
  result.exhaustive = true;
  return result;
}

Measurement by_offset(const Buckets& buckets, const Case& subject) {
  if (!buckets.by_offset) return by_offset_by_place(buckets);
  if (subject.foreign) return not_told("the dump has one bucket for each offset: any such does");
  Measurement result;
  result.power = {1, "any pair looked at"};
  result.bound_from = "pairs whose bucket differs from the same offset at query 0; none may";
  for (const std::int64_t query : places)
    for (Index i = 0; i < subject.offsets.count; ++i) {
      const std::int64_t offset = subject.offsets.at(i);
      const Index here = buckets.of(query, query + offset), there = buckets.of(0, offset);
      if (here != there && result.worst++ == 0)
        result.witness = fmt::format("offset {}: bucket {} at query {}, {} at query 0", offset,
                                     here, query, there);
    }
  result.coverage =
      fmt::format("{} offsets from {} queries", subject.offsets.count, std::size(places));
  return result;
}

Measurement monotone(const Buckets& buckets, const Case& subject) {
  if (!buckets.by_offset && subject.foreign) return monotone_by_place(buckets);
  if (const std::string_view lacks = lacks_offsets(subject.effect); !lacks.empty())
    return not_told(std::string(lacks));
  Measurement result;
  result.power = {HUGE_VAL, "a change that keeps the order is not seen"};
  result.bound_from = "turns of direction on either side of the query; none may";
  for (const int side : {-1, 1}) {
    int direction = 0;
    const std::int64_t reach = std::max(std::abs(subject.offsets.at(0)),
                                        std::abs(subject.offsets.at(subject.offsets.count - 1)));
    for (std::int64_t distance = 2; distance <= reach && has_offset(subject, side * distance);
         ++distance) {
      const Index before = buckets.of(0, side * (distance - 1)),
                  here = buckets.of(0, side * distance);
      const int step = (here > before) - (here < before);
      if (step != 0 && direction != 0 && step != direction && result.worst++ == 0)
        result.witness =
            fmt::format("offset {}: bucket {} after {}", side * distance, here, before);
      if (step != 0) direction = step;
    }
  }
  result.coverage = fmt::format("{} offsets", subject.offsets.count);
  result.exhaustive = true;
  return result;
}

Measurement covered(const Buckets& buckets, const Case& subject) {
  Measurement result;
  std::vector<bool> reached(static_cast<std::size_t>(buckets.count));
  const auto reach = [&](Index bucket) {
    if (bucket >= 0 && bucket < buckets.count) reached[static_cast<std::size_t>(bucket)] = true;
  };
  if (!buckets.by_offset) {
    for_pairs(buckets, [&](Index, Index, Index bucket) { reach(bucket); });
    if (!buckets.positions || *buckets.positions > widest)
      return not_told(fmt::format("more than {} positions to look at", widest));
    result.coverage = pairs_covered(buckets);
  } else {
    const std::int64_t far =
        subject.foreign
            ? std::max(-subject.offsets.at(0), subject.offsets.at(subject.offsets.count - 1))
            : std::max<std::int64_t>(buckets.saturation, subject.offsets.count);
    if (far > (std::int64_t{1} << 26)) return not_told("too many offsets to look at");
    for (std::int64_t offset = -far; offset <= far; ++offset)
      if (has_offset(subject, offset)) reach(buckets.of(0, offset));
    result.coverage = fmt::format("offsets {} to {}", -far, far);
  }
  std::vector<std::size_t> unused;
  for (std::size_t bucket = 0; bucket < reached.size(); ++bucket)
    if (!reached[bucket]) unused.push_back(bucket);
  const std::int64_t seen =
      buckets.by_offset ? subject.offsets.at(subject.offsets.count - 1) : places_of(buckets) - 1;
  if (subject.foreign && !unused.empty() && seen < buckets.saturation)
    return not_told(fmt::format("the dump ends at distance {}, before the buckets do ({})", seen,
                                buckets.saturation));
  result.worst = static_cast<double>(unused.size());
  result.power = {HUGE_VAL, "a change is seen when it was the last of its bucket"};
  result.bound_from = "buckets that no offset reaches; none may be";
  if (!unused.empty()) result.witness = fmt::format("unused: {}", fmt::join(unused, ", "));
  result.exhaustive = true;
  return result;
}

// Constant from the saturation on, to either side, and still moving on one side just before it.
Measurement clipped_at(const Buckets& buckets, const Case& subject) {
  if (!buckets.by_offset && subject.foreign) return clipped_by_place(buckets);
  if (const std::string_view lacks = lacks_limit(subject.effect); !lacks.empty())
    return not_told(std::string(lacks));
  Measurement result;
  result.power = {1, "any offset from the limit on; those nearer are not looked at"};
  result.bound_from = "offsets beyond the limit whose bucket differs from the limit's; none may";
  const std::int64_t limit = buckets.saturation;
  if (!has_offset(subject, limit + 1) && !has_offset(subject, -limit - 1))
    return not_told(fmt::format("the dump ends before the buckets do, at distance {}", limit));
  for (const int side : {-1, 1})
    for (std::int64_t distance = limit;
         distance < 4 * limit + 1024 && has_offset(subject, side * distance); ++distance)
      if (buckets.of(0, side * distance) != buckets.of(0, side * limit) && result.worst++ == 0)
        result.witness = fmt::format("offset {}: bucket {}, at the limit {}", side * distance,
                                     buckets.of(0, side * distance), buckets.of(0, side * limit));
  if (has_offset(subject, limit) && has_offset(subject, -limit) &&
      buckets.of(0, -limit) == buckets.of(0, 1 - limit) &&
      buckets.of(0, limit) == buckets.of(0, limit - 1) && result.worst++ == 0)
    result.witness = fmt::format("the bucket stays the same already at distance {}", limit - 1);
  result.coverage = fmt::format("distances {} to {}", limit, 4 * limit + 1023);
  return result;
}

template <Measurement (*law)(const Buckets&, const Case&)>
Measurement of_bias(const Bias& bias, const Case& subject) {
  if (!bias.buckets) return not_told(std::string(lacks_buckets(subject.effect)));
  return law(*bias.buckets, subject);
}

}  // namespace

Measurement bias_buckets_total(const Bias& bias, const Case& subject) {
  return of_bias<total>(bias, subject);
}
Measurement bias_buckets_by_offset(const Bias& bias, const Case& subject) {
  return of_bias<by_offset>(bias, subject);
}
Measurement bias_buckets_monotone(const Bias& bias, const Case& subject) {
  return of_bias<monotone>(bias, subject);
}
Measurement bias_buckets_covered(const Bias& bias, const Case& subject) {
  return of_bias<covered>(bias, subject);
}
Measurement bias_clipped(const Bias& bias, const Case& subject) {
  return of_bias<clipped_at>(bias, subject);
}
Measurement buckets_total(const Relative& relative, const Case& subject) {
  return total(relative.buckets, subject);
}
Measurement buckets_by_offset(const Relative& relative, const Case& subject) {
  return by_offset(relative.buckets, subject);
}
Measurement buckets_monotone(const Relative& relative, const Case& subject) {
  return monotone(relative.buckets, subject);
}
Measurement buckets_covered(const Relative& relative, const Case& subject) {
  return covered(relative.buckets, subject);
}
Measurement clipped(const Relative& relative, const Case& subject) {
  return clipped_at(relative.buckets, subject);
}

}  // namespace pe::laws
