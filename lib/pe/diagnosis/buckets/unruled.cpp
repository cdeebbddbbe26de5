// Faults of offsets that no field of a rule says.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/buckets/maps.hpp"

namespace pe {
namespace {

using Scale = BucketRule::Scale;

BucketMap unruled(const BucketRule& rule,
                  std::function<Index(std::int64_t query, std::int64_t key)> of,
                  std::string sentence) {
  Buckets buckets = make_buckets(rule);
  buckets.of = std::move(of);
  buckets.rule.reset();
  return {std::move(buckets), std::move(sentence), 1.05};
}

// The keys of one side have the bucket of the query's own.
BucketMap one_sided(const BucketRule& rule, int side) {
  return unruled(
      rule,
      [of = make_buckets(rule).of, side](std::int64_t query, std::int64_t key) {
        return of(query, side * (key - query) > 0 ? query : key);
      },
      fmt::format("keys {} the query have the bucket of its own key: one direction, where both "
                  "are meant",
                  side > 0 ? "after" : "before"));
}

// The numbers of make_log_bucket_position in each other's place, by its own formula.
BucketMap exchanged(const BucketRule& rule, double middle, double last) {
  const double scale = std::log(last / middle);
  return unruled(
      rule,
      [=](std::int64_t query, std::int64_t key) -> Index {
        const auto d = static_cast<double>(rule.sign * (key - query));
        const double size = std::fabs(d),
                     place = std::ceil(std::log(size / middle) / scale * (middle - 1)) + middle;
        const Index index =
            saturated<Index>(size <= middle ? d : std::copysign(1.0, d) * place) + rule.count;
        return rule.clamped ? std::clamp<Index>(index, 0, 2 * rule.count - 1) : index;
      },
      fmt::format("position-buckets and max-relative-positions stand in each other's place: {} "
                  "and {}, where {} and {} are meant",
                  rule.farthest, rule.count, rule.count, rule.farthest));
}

}  // namespace

std::vector<BucketMap> unruled_maps(const BucketRule& rule, BucketFault fault) {
  std::vector<BucketMap> maps;
  const bool both =
      rule.scale == Scale::deberta || (rule.scale == Scale::clipped && rule.lower > 0);
  if (fault == BucketFault::direction && both)
    for (const int side : {1, -1}) maps.push_back(one_sided(rule, side));
  const auto middle = static_cast<double>(rule.farthest / 2),
             last = static_cast<double>(rule.count - 1);
  if (fault == BucketFault::count && rule.scale == Scale::deberta && middle >= 1 && last != middle)
    maps.push_back(exchanged(rule, middle, last));
  return maps;
}

}  // namespace pe
