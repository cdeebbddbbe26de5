// Runs of distances, found by bisection: a bucket's distances follow each other on either side.
#include "pe/analyze/buckets/bucket_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/base/budget.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

bool is_window(const Buckets& buckets) {
  return buckets.rule && buckets.rule->scale == BucketRule::Scale::window;
}

// [CLS] at position 0 has buckets of its own; the others are those of offsets.
bool has_cls(const Buckets& buckets) { return buckets.rule && buckets.rule->cls; }

// The distance from which on the bucket no longer changes.
std::int64_t saturation_of(const Buckets& buckets) {
  if (!has_cls(buckets)) return buckets.saturation;
  BucketRule rule = *buckets.rule;
  rule.cls = false;
  return make_buckets(rule).saturation;
}

// Pairs at distances first … last of n positions: the sum of n − d.
double pairs_between(double first, double last, Index n) {
  last = std::min(last, static_cast<double>(n - 1));
  if (first > last) return 0;
  return (last - first + 1) * (2 * static_cast<double>(n) - first - last) / 2;
}

void extend(BucketRun& run, double first, double last, double pairs, const std::string& side) {
  run.first = run.width > 0 ? std::min(run.first, first) : first;
  run.last = run.width > 0 ? std::max(run.last, last) : last;
  run.side = run.width > 0 && run.side != side && run.side != "self" ? "both" : side;
  run.width += last - first + 1;
  run.pairs += pairs;
}

// The runs of one side, from a distance on.
void add_side(std::vector<BucketRun>& runs, const Buckets& buckets, std::int64_t from, int sign,
              Index n) {
  const std::int64_t end = std::max(saturation_of(buckets), from);
  const auto at = [&](std::int64_t distance) { return offset_bucket(buckets, sign * distance); };
  for (std::int64_t first = from; first <= end;) {
    const Index bucket = at(first);
    std::int64_t low = first, high = end;
    while (low < high) {
      const std::int64_t middle = high - (high - low) / 2;
      if (at(middle) == bucket)
        low = middle;
      else
        high = middle - 1;
    }
    const double last = low == end ? endless : static_cast<double>(low);
    const char* side = low == 0 ? "self" : sign < 0 ? "before" : "after";
    extend(runs[static_cast<std::size_t>(bucket)], static_cast<double>(first), last,
           pairs_between(static_cast<double>(first), last, n), side);
    first = low + 1;
  }
}

void add_differences(std::vector<BucketRun>& runs, const Buckets& buckets) {
  const BucketRule& rule = *buckets.rule;
  for (Index rows = 1 - rule.height; rows < rule.height; ++rows) {
    ask_time();
    for (Index columns = 1 - rule.width; columns < rule.width; ++columns) {
      const double distance = std::hypot(static_cast<double>(rows), static_cast<double>(columns));
      const auto pairs =
          static_cast<double>((rule.height - std::abs(rows)) * (rule.width - std::abs(columns)));
      extend(runs[static_cast<std::size_t>(window_bucket(buckets, rows, columns))], distance,
             distance, pairs, fmt::format("rows {:+}, columns {:+}", rows, columns));
    }
  }
}

// [CLS] to others, others to [CLS], and [CLS] to itself, which may be one of the two.
void add_cls(std::vector<BucketRun>& runs, const Buckets& buckets, Index n) {
  const struct {
    std::int64_t query, key;
    const char* side;
    double pairs;
  } kinds[] = {{0, 1, "from [CLS]", static_cast<double>(n - 1)},
               {1, 0, "to [CLS]", static_cast<double>(n - 1)},
               {0, 0, "[CLS] itself", 1}};
  for (const auto& kind : kinds) {
    BucketRun& run = runs[static_cast<std::size_t>(buckets.of(kind.query, kind.key))];
    if (run.width == 0) run = {none, none, 0, 0, kind.side};
    run.width += 1;
    run.pairs += kind.pairs;
  }
}

}  // namespace

bool one_way(const Subject& subject) {
  if (const Relative* relative = std::get_if<Relative>(&subject.effect)) return relative->causal;
  const auto& bias = std::get<Bias>(subject.effect);
  const auto& rule = bias.buckets->rule;
  return bias.causal || (rule && rule->scale == BucketRule::Scale::t5 && !rule->both);
}

std::vector<BucketRun> bucket_runs(const Buckets& buckets, bool one_way, Index length) {
  std::vector<BucketRun> runs(static_cast<std::size_t>(buckets.count), BucketRun{none, none});
  const bool cls = has_cls(buckets);
  const Index n = length - cls;
  if (is_window(buckets)) {
    add_differences(runs, buckets);
  } else {
    add_side(runs, buckets, 0, -1, n);
    if (!one_way) add_side(runs, buckets, 1, 1, n);
  }
  if (cls) add_cls(runs, buckets, is_window(buckets) ? *buckets.positions : length);
  return runs;
}

Index offset_bucket(const Buckets& buckets, std::int64_t offset) {
  const std::int64_t start = has_cls(buckets);
  return offset < 0 ? buckets.of(start - offset, start) : buckets.of(start, start + offset);
}

Index window_bucket(const Buckets& buckets, Index rows, Index columns) {
  const BucketRule& rule = *buckets.rule;
  const Index key = std::max<Index>(rows, 0) * rule.width + std::max<Index>(columns, 0),
              query = std::max<Index>(-rows, 0) * rule.width + std::max<Index>(-columns, 0);
  return buckets.of(query + rule.cls, key + rule.cls);
}

}  // namespace pe
