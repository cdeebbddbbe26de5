// Bucket boundaries as integers, found by comparing integer powers.
#include "pe/model/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <compare>

#include "pe/base/error.hpp"
#include "pe/base/whole.hpp"

namespace pe {
namespace {

using boost::multiprecision::cpp_int;

// Whether x^n · b^t is less than, equal to or greater than f^t · b^n. Logarithms tell, but where
// they differ by less than their roundings; there whole numbers do.
std::strong_ordering compared(std::int64_t x, std::int64_t b, std::int64_t f, unsigned n,
                              unsigned t) {
  if (std::min({x, b, f}) > 0) {
    const double of_x = n * std::log(static_cast<double>(x)),
                 of_b = std::log(static_cast<double>(b)),
                 of_f = t * std::log(static_cast<double>(f)),
                 apart = of_x + t * of_b - of_f - n * of_b;
    if (std::fabs(apart) > 0x1p-49 * (of_x + of_f + (n + t) * of_b))
      return apart < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const int order = cpp_int(pow(cpp_int(x), n) * pow(cpp_int(b), t))
                        .compare(cpp_int(pow(cpp_int(f), t) * pow(cpp_int(b), n)));
  return order <=> 0;
}

// The least distance of each logarithmic bucket max_exact + t, t = 0 … steps−1: the least m for
// which m^n · max_exact^t ≥ max_distance^t · max_exact^n, n the number of steps.
std::vector<std::int64_t> logarithmic_starts(Index max_exact, Index steps,
                                             std::int64_t max_distance) {
  const auto power = static_cast<unsigned>(steps);
  std::vector<std::int64_t> starts{max_exact};
  for (unsigned t = 1; t < power; ++t) {
    std::int64_t low = starts.back(), high = max_distance;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (compared(middle, max_exact, max_distance, power, t) >= 0)
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
  std::vector<std::int64_t> ends{mid};
  for (Index t = 1; t < mid; ++t) {
    std::int64_t low = ends.back(), high = max_position - 1;
    while (low < high) {
      const std::int64_t middle = high - (high - low) / 2;
      if (compared(middle, mid, max_position - 1, power, static_cast<unsigned>(t)) <= 0)
        low = middle;
      else
        high = middle - 1;
    }
    ends.push_back(low);
  }
  return ends;
}

constexpr double hair = 1e-9;  // far above the rounding of a logarithm here, far below its least
                               // distance from a whole number that it does not equal

double rounded(double steps, BucketRule::Rounding rounding) {
  switch (rounding) {
    case BucketRule::Rounding::down:
      return std::floor(steps + hair);
    case BucketRule::Rounding::up:
      return std::ceil(steps - hair);
    case BucketRule::Rounding::nearest:
      return std::floor(steps + 0.5);
    case BucketRule::Rounding::below:
      return std::ceil(steps - hair) - 1;
    case BucketRule::Rounding::above:
      return std::floor(steps + hair) + 1;
  }
  return steps;
}

// The buckets beyond `exact` that a distance has come, `steps` of them at `farthest`.
Index logarithmic(std::int64_t distance, Index exact, Index steps, std::int64_t farthest,
                  BucketRule::Rounding rounding) {
  const double place = std::log(static_cast<double>(distance) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(farthest) / static_cast<double>(exact)) *
                       static_cast<double>(steps);
  return saturated<Index>(std::max(0.0, rounded(place, rounding)));
}

// d of a pair.
std::int64_t offset_of(const BucketRule& rule, std::int64_t query, std::int64_t key) {
  std::int64_t d = rule.sign * (key - query + rule.moved);
  if (rule.folded != 0) d = rule.folded * std::abs(d);
  if (d > 0) return std::max<std::int64_t>(d - rule.later, 0);
  return d < 0 ? std::min<std::int64_t>(d + rule.later, 0) : 0;
}

using BucketOfOffset = std::function<Index(std::int64_t offset)>;

BucketOfOffset clipped(const BucketRule& rule) {
  return [=](std::int64_t d) {
    return (rule.clamped ? std::clamp(d, -rule.lower, rule.upper) : d) + rule.centre;
  };
}

Index started(const std::vector<std::int64_t>& starts, std::int64_t distance) {
  return std::ranges::upper_bound(starts, distance) - starts.begin();
}

BucketOfOffset t5(const BucketRule& rule, std::int64_t& saturation) {
  const Index one_way = rule.both ? rule.count / 2 : rule.count, exact = one_way / 2,
              steps = one_way - exact;
  if (exact < 1)
    throw UsageError(fmt::format("--num-buckets must be at least {} here, got {}",
                                 rule.both ? 4 : 2, rule.count));
  if (rule.farthest <= exact)
    throw UsageError(
        fmt::format("--max-distance must exceed the {} buckets of one distance each, got {}", exact,
                    rule.farthest));
  const auto starts = logarithmic_starts(exact, steps, rule.farthest);
  saturation = rule.clamped ? starts.back() : 0;
  return [=](std::int64_t d) -> Index {
    const bool is_later = d > 0 || (rule.own_is_later && d == 0);
    const Index start = rule.both && is_later ? one_way : 0;
    const std::int64_t distance = rule.both ? std::abs(d) : std::max<std::int64_t>(-d, 0);
    if (distance < exact) return start + distance;
    const bool exactly = !rule.rounding && rule.clamped;
    const Index beyond = !rule.starts.empty() ? started(rule.starts, distance)
                         : exactly
                             ? started(starts, distance) - 1
                             : logarithmic(distance, exact, steps, rule.farthest,
                                           rule.rounding.value_or(BucketRule::Rounding::down));
    return start + (rule.clamped ? std::min(one_way - 1, exact + beyond) : exact + beyond);
  };
}

BucketOfOffset deberta(const BucketRule& rule) {
  const Index span = rule.count, mid = span / 2;
  if (span % 2 != 0 || mid < 2)
    throw UsageError(
        fmt::format("--position-buckets must be even and 4 at least, or 0 for none, got {}", span));
  if (rule.farthest <= mid + 1)
    throw UsageError(fmt::format(
        "--max-relative-positions must exceed {}, half of --position-buckets and one, got {}",
        mid + 1, rule.farthest));
  return [=, ends = deberta_ends(mid, rule.farthest)](std::int64_t d) -> Index {
    const std::int64_t distance = std::abs(d);
    const bool exactly = !rule.rounding && rule.clamped;
    Index size = distance;
    if (distance > mid && !rule.starts.empty())
      size = mid + started(rule.starts, distance);
    else if (distance > mid && exactly)
      size = mid + (std::ranges::lower_bound(ends, distance) - ends.begin());
    else if (distance > mid)
      size = mid + logarithmic(distance, mid, mid - 1, rule.farthest - 1,
                               rule.rounding.value_or(BucketRule::Rounding::up));
    const Index index = (d < 0 ? -size : size) + span;
    return rule.clamped ? std::clamp<Index>(index, 0, 2 * span - 1) : index;
  };
}

Index differences(const BucketRule& rule) { return (2 * rule.height - 1) * (2 * rule.width - 1); }

Index window_index(const BucketRule& rule, std::int64_t query, std::int64_t key) {
  if (rule.cls && (query == 0 || key == 0))
    return differences(rule) + (query != 0 ? 1 : key == 0 ? 2 : 0);
  const std::int64_t q = query - rule.cls, k = key - rule.cls;
  const std::int64_t rows = q / rule.width - k / rule.width + rule.height - 1,
                     columns = q % rule.width - k % rule.width + rule.width - 1;
  return rule.columns_first ? columns * (2 * rule.height - 1) + rows
                            : rows * (2 * rule.width - 1) + columns;
}

Index count_of(const BucketRule& rule) {
  switch (rule.scale) {
    case BucketRule::Scale::clipped:
      return rule.lower + rule.upper + 1;
    case BucketRule::Scale::t5:
      return rule.count + rule.cls;
    case BucketRule::Scale::deberta:
      return 2 * rule.count;
    case BucketRule::Scale::window:
      return differences(rule) + (rule.cls ? 3 : 0);
  }
  return 0;
}

// `saturation`: as in Buckets.
BucketOfOffset of_offset(const BucketRule& rule, std::int64_t& saturation) {
  if (rule.scale == BucketRule::Scale::t5) return t5(rule, saturation);
  const bool is_clipped = rule.scale == BucketRule::Scale::clipped;
  saturation = is_clipped ? std::max(rule.lower, rule.upper) : rule.farthest;
  return is_clipped ? clipped(rule) : deberta(rule);
}

}  // namespace

Buckets make_buckets(const BucketRule& rule) {
  Buckets buckets{.count = count_of(rule), .saturation = 0, .of = {}, .rule = rule};
  const auto shifted = [rule, last = buckets.count - 1](Index bucket) {
    return rule.added == 0 ? bucket : std::clamp<Index>(bucket + rule.added, 0, last);
  };
  if (rule.scale == BucketRule::Scale::window) {
    buckets.of = [=](std::int64_t query, std::int64_t key) {
      return shifted(window_index(rule, query, key));
    };
    buckets.by_offset = false;
    buckets.positions = rule.height * rule.width + rule.cls;
    return buckets;
  }
  std::int64_t saturation = 0;
  buckets.of = [=, bucket = of_offset(rule, saturation)](std::int64_t query,
                                                         std::int64_t key) -> Index {
    if (rule.cls && (query == 0 || key == 0)) return query == 0 ? rule.count / 2 : rule.count;
    return shifted(bucket(offset_of(rule, query, key)));
  };
  buckets.by_offset = !rule.cls;
  if (!rule.cls) buckets.saturation = saturation;
  return buckets;
}

Buckets clipped_buckets(Index max_distance) {
  return make_buckets({.lower = max_distance, .upper = max_distance, .centre = max_distance});
}

Buckets distance_buckets(std::int64_t farthest, bool both) {
  const std::int64_t least = both ? farthest : 0;
  return make_buckets({.sign = -1, .lower = least, .upper = farthest, .centre = least});
}

Buckets t5_buckets(Index num_buckets, std::int64_t max_distance, bool bidirectional) {
  return make_buckets({.scale = BucketRule::Scale::t5,
                       .count = num_buckets,
                       .farthest = max_distance,
                       .both = bidirectional});
}

Buckets t5_cls_buckets(Index num_buckets, std::int64_t max_distance) {
  return make_buckets({.scale = BucketRule::Scale::t5,
                       .count = num_buckets,
                       .farthest = max_distance,
                       .cls = true});
}

Buckets deberta_buckets(Index num_buckets, std::int64_t max_position, bool reversed) {
  const int sign = reversed ? 1 : -1;
  if (num_buckets == 0)
    return make_buckets(
        {.sign = sign, .lower = max_position, .upper = max_position - 1, .centre = max_position});
  return make_buckets({.scale = BucketRule::Scale::deberta,
                       .sign = sign,
                       .count = num_buckets,
                       .farthest = max_position});
}

Buckets window_buckets(Index height, Index width, bool cls) {
  return make_buckets(
      {.scale = BucketRule::Scale::window, .height = height, .width = width, .cls = cls});
}

}  // namespace pe
