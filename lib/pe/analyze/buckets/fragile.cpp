// Candidates around every boundary, and what each way makes of them.
#include "pe/analyze/buckets/fragile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pe/analyze/buckets/bucket_logs.hpp"
#include "pe/analyze/buckets/bucket_runs.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

LogScale scale_of(const Buckets& buckets) {
  if (!buckets.rule || (buckets.rule->scale != BucketRule::Scale::t5 &&
                        buckets.rule->scale != BucketRule::Scale::deberta))
    throw UsageError(
        "--view fragile is of buckets that grow logarithmically, and these do not: no number is "
        "rounded");
  const BucketRule& rule = *buckets.rule;
  if (rule.scale == BucketRule::Scale::deberta)
    return {rule.count / 2, rule.farthest - 1, rule.count / 2 - 1, rule.count - 1, true};
  const Index way = rule.both ? rule.count / 2 : rule.count;
  return {way / 2, rule.farthest, way - way / 2, way - 1, false};
}

// The exact bucket of a distance among those of one way.
Index exact_bucket(const Buckets& buckets, const LogScale& scale, std::int64_t distance) {
  const Index bucket = offset_bucket(buckets, -distance);
  return scale.up ? bucket - buckets.rule->count : bucket;
}

// Distances near enough to a boundary for float32 to decide otherwise. A way's place is off by at
// most 8 roundings of it (2^-24 each, relative), by the 1e-6 that Flax adds, by a rounded quotient
// and by 2^-24 of ln n ≤ 21 twice, all over the span, and by 2^-23 of exact + steps where that is
// added: `away`, in places. A distance n is one place from n·(1 + span/steps).
std::set<std::int64_t> candidates(const LogScale& scale) {
  const auto exact = static_cast<double>(scale.exact), steps = static_cast<double>(scale.steps),
             span = std::log(static_cast<double>(scale.farthest) / exact);
  const double away = steps * (0x1p-20 + (1e-6 + 64 * 0x1p-24) / span) + (exact + steps) * 0x1p-22;
  std::set<std::int64_t> found;
  for (Index t = 1; t <= scale.steps; ++t) {
    const double centre = exact * std::exp(span * static_cast<double>(t) / steps),
                 half = centre * std::expm1(span * away / steps) + 2;
    const auto low = static_cast<std::int64_t>(centre - half),
               high = static_cast<std::int64_t>(centre + half);
    for (std::int64_t n = std::max(low, scale.exact + 1); n <= high; ++n) found.insert(n);
  }
  return found;
}

std::string agreement(const std::vector<const LogWay*>& ways, const std::vector<Index>& wrong,
                      std::size_t ties) {
  std::string text;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (wrong[i] > 0)
      text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", ways[i]->name, wrong[i]);
  const std::string whole =
      fmt::format("{} distance{} on a boundary exactly", ties, ties == 1 ? " lies" : "s lie");
  if (text.empty())
    return fmt::format("{}; all of {} ways decide every distance as whole numbers do", whole,
                       ways.size());
  return fmt::format("{}; decided otherwise than by whole numbers: {}", whole, text);
}

}  // namespace

Sheet fragile_sheet(const Buckets& buckets, const Question& question) {
  const LogScale scale = scale_of(buckets);
  std::vector<const LogWay*> ways;
  std::vector<std::string> names;
  for (const LogWay& way : all_log_ways())
    if (scale.up ? way.rounds_up : way.rounds_down) {
      ways.push_back(&way);
      names.emplace_back(way.name);
    }
  std::vector<double> distances, margins;
  std::vector<std::vector<Index>> decided;
  std::vector<Index> exact, wrong(ways.size(), 0);
  std::size_t ties = 0;
  const std::set<std::int64_t> all = candidates(scale);
  std::size_t looked = 0;
  for (const std::int64_t n : all) {
    if (looked++ % 1024 == 0)
      question.advance(static_cast<double>(looked) / static_cast<double>(all.size()));
    const Index bucket = exact_bucket(buckets, scale, n);
    std::vector<Index> got;
    for (const LogWay* way : ways) got.push_back(bucket_of(*way, scale, n));
    const bool agree = std::ranges::all_of(got, [&](Index other) { return other == bucket; });
    const double margin = place_beyond_whole(scale, n);
    if (agree && margin != 0) continue;
    for (std::size_t i = 0; i < ways.size(); ++i) wrong[i] += got[i] != bucket;
    ties += margin == 0;
    distances.push_back(static_cast<double>(n));
    margins.push_back(margin);
    exact.push_back(bucket);
    decided.push_back(std::move(got));
  }
  Sheet sheet;
  sheet.axes = {named_axis("way", names, "whose steps, in which type"),
                placed_axis("distance", distances, "of query and key")};
  Column meant{.name = "exact", .description = "bucket by whole numbers, one way", .values = {}},
      got{.name = "got", .description = "bucket by the way's logarithms", .values = {}},
      differs{.name = "differs", .description = "1: otherwise than by whole numbers", .values = {}},
      margin{.name = "margin",
             .description = "exact place less the nearest whole number; 0: a boundary",
             .values = {},
             .error = {.absolute = 0x1p-40, .relative = 0}};
  for (std::size_t way = 0; way < ways.size(); ++way)
    for (std::size_t i = 0; i < distances.size(); ++i) {
      meant.values.push_back(static_cast<double>(exact[i]));
      got.values.push_back(static_cast<double>(decided[i][way]));
      differs.values.push_back(decided[i][way] != exact[i] ? 1 : 0);
      margin.values.push_back(margins[i]);
    }
  sheet.columns = {std::move(meant), std::move(got), std::move(differs), std::move(margin)};
  sheet.notes = {agreement(ways, wrong, ties)};
  return sheet;
}

}  // namespace pe
