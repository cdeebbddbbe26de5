// A story's buckets at pairs, the causes that offer stories, and the comparison of every cell.
#include "pe/diagnosis/bucket_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"

namespace pe {
namespace {

// (Δw + W − 1)(2H − 1) + (Δh + H − 1): the index of a window whose rows and columns have changed
// places.
Index swapped(std::int64_t query, std::int64_t key, Index height, Index width) {
  const std::int64_t rows = query / width - key / width, columns = query % width - key % width;
  return (columns + width - 1) * (2 * height - 1) + rows + height - 1;
}

}  // namespace

double BucketWorld::bucket(const BucketStory& story, std::int64_t query, std::int64_t key) const {
  std::int64_t i = query + story.query_shift, j = key;
  if (story.transposed) std::swap(i, j);
  const Index width = story.swapped_width;
  return static_cast<double>(
      (width > 0 ? swapped(i, j, *map.positions / width, width) : story.map.of(i, j)) +
      story.added);
}

Fit BucketWorld::measure(const BucketStory& story) const {
  Fit fit{0, 0, 0};
  Index cells = 0, within = 0;
  for (const Probe& probe : probes)
    for (Index k = 0; k < probe.keys.count; ++k) {
      const double difference = std::fabs(probe.got[static_cast<std::size_t>(k)] -
                                          bucket(story, probe.query, probe.keys.at(k)));
      fit.residual = std::max(fit.residual, std::isnan(difference) ? HUGE_VAL : difference);
      within += difference == 0;
      ++cells;
    }
  fit.excess = within == cells ? 0 : HUGE_VAL;
  fit.share = static_cast<double>(within) / static_cast<double>(std::max<Index>(cells, 1));
  return fit;
}

bool BucketWorld::agrees(const BucketStory& story) const {
  for (const Probe& probe : probes)
    for (Index k = 0; k < probe.keys.count; ++k)
      if (probe.got[static_cast<std::size_t>(k)] != bucket(story, probe.query, probe.keys.at(k)))
        return false;
  return true;
}

namespace {

using Offers = std::vector<Proposal<BucketStory>>;

template <BucketFault fault>
Offers maps(const BucketWorld& world, const BucketStory& story) {
  Offers offers;
  const BucketBalance balance = [&](const Buckets& map) {
    BucketStory other = story;
    other.map = map;
    double sum = 0;
    for (const BucketWorld::Probe& probe : world.probes)
      for (Index k = 0; k < probe.keys.count; ++k)
        sum += probe.got[static_cast<std::size_t>(k)] -
               world.bucket(other, probe.query, probe.keys.at(k));
    return sum;
  };
  const BucketShape& shape = world.shape;
  const std::int64_t farthest =
      std::max(std::abs(shape.first_query + shape.queries - 1 - shape.first_key),
               std::abs(shape.first_key + shape.keys - 1 - shape.first_query)) +
      1;
  for (BucketMap& map :
       bucket_maps(*world.expected, story.map, fault, story.changes, balance, farthest)) {
    BucketStory other = story;
    other.map = std::move(map.buckets);
    if (!map.changes.empty()) other.changes = std::move(map.changes);
    offers.push_back({std::move(other), std::move(map.sentence), map.cost});
  }
  return offers;
}

Offers transposed(const BucketWorld& world, const BucketStory& story) {
  BucketStory other = story;
  other.transposed = !story.transposed;
  const bool key_less = world.expected->encoding->name == "t5" ||
                        world.expected->encoding->name == "shaw" ||
                        world.expected->encoding->name == "tupe";
  return {{std::move(other),
           key_less ? "the buckets are those of query - key, where key - query is meant"
                    : "the buckets are those of key - query, where query - key is meant",
           1}};
}

Offers alignment(const BucketWorld& world, const BucketStory& story) {
  if (world.shape.queries == world.shape.keys || world.shape.layout == "bucket-offsets") return {};
  BucketStory other = story;
  other.query_shift = world.shape.first_key - world.shape.first_query;
  return {{std::move(other),
           fmt::format(
               "the {} queries are aligned to the first of the {} keys, where they are the last",
               world.shape.queries, world.shape.keys),
           1}};
}

Offers offsets(const BucketWorld& world, const BucketStory& story) {
  Offers offers = maps<BucketFault::offset>(world, story);
  std::vector<double> differences;
  for (const BucketWorld::Probe& probe : world.probes)
    for (Index k = 0; k < probe.keys.count; ++k)
      differences.push_back(probe.got[static_cast<std::size_t>(k)] -
                            world.bucket(story, probe.query, probe.keys.at(k)));
  if (differences.empty()) return offers;
  std::ranges::nth_element(differences, differences.begin() + std::ssize(differences) / 2);
  const double middle = differences[differences.size() / 2];
  if (middle == 0 || std::fabs(middle) > 0x1p40) return offers;
  BucketStory other = story;
  other.added = static_cast<std::int64_t>(middle);
  offers.insert(
      offers.begin(),
      {std::move(other),
       fmt::format("{:+} is added to every bucket", static_cast<std::int64_t>(middle)), 1});
  return offers;
}

Offers axes(const BucketWorld& world, const BucketStory& story) {
  if (world.window_width == 0 || !world.map.positions) return {};
  BucketStory other = story;
  other.swapped_width = world.window_width;
  return {{std::move(other),
           "columns count for rows: the difference of columns is multiplied, where that of rows is "
           "to be",
           1}};
}

constexpr Cause<BucketWorld> causes[] = {
    {{"bucket-transposed", "the buckets are those of the offset's other sign", "bias buckets"},
     "axes",
     &transposed},
    {{"bucket-direction", "buckets of both directions for those of one, or the reverse",
      "bias buckets"},
     "direction",
     &maps<BucketFault::direction>},
    {{"bias-alignment", "queries are aligned to the first keys instead of the last",
      "bias buckets"},
     "alignment",
     &alignment},
    {{"bucket-count", "the encoding has another number of buckets", "buckets"},
     "count",
     &maps<BucketFault::count>},
    {{"bucket-max-distance", "the buckets end at another distance", "bias buckets"},
     "distance",
     &maps<BucketFault::max_distance>},
    {{"bucket-offset", "every bucket is shifted by a constant", "bias buckets"},
     "offset",
     &offsets},
    {{"bucket-boundary", "the boundaries of the buckets are off by one", "bias buckets"},
     "boundary",
     &maps<BucketFault::boundary>},
    {{"axes-swapped", "rows and columns of a window have changed places", "buckets"},
     "window",
     &axes},
};

}  // namespace

std::span<const Cause<BucketWorld>> bucket_world_causes() { return causes; }

void add_probe(BucketWorld& world, const Stored& array, Index row, Index key) {
  constexpr Index most = 1024;
  const BucketShape& shape = world.shape;
  const Index first = std::clamp<Index>(key - most / 2, 0, std::max<Index>(0, shape.keys - most)),
              count = std::min(most, shape.keys);
  BucketWorld::Probe probe{.query = shape.first_query + row % shape.queries,
                           .keys = {shape.first_key + first, 1, count, 0}};
  probe.got.resize(static_cast<std::size_t>(count));
  array.read(row * shape.keys + first, count, probe.got.data());
  world.probes.push_back(std::move(probe));
}

BucketWorld bucket_world(const Expectation& expected, const Stored& array, const Buckets& map,
                         BucketShape shape) {
  BucketWorld world{.expected = &expected,
                    .map = map,
                    .window_width = 0,
                    .shape = std::move(shape),
                    .probes = {}};
  if (const Bias* bias = std::get_if<Bias>(&expected.effect))
    world.window_width = bias->window_width;
  const BucketShape& axes = world.shape;
  if (map.positions &&
      (axes.first_key < 0 || axes.first_key + axes.keys > *map.positions || axes.first_query < 0))
    throw UsageError(
        fmt::format("{} has keys at positions {} to {}, and this encoding has {} positions",
                    array.shown, axes.first_key, axes.first_key + axes.keys - 1, *map.positions));
  constexpr Index some = 12;
  for (Index i = 0; i < std::min(axes.queries, some); ++i) {
    const Index row = axes.queries <= some ? i : i * (axes.queries - 1) / (some - 1);
    for (const Index key : {Index{0}, axes.first_query + row - axes.first_key, axes.keys - 1}) {
      add_probe(world, array, row, key);
      if (axes.keys <= 1024) break;
    }
  }
  return world;
}

Tally bucket_pass(const BucketWorld& world, const Stored& array, const BucketStory& story) {
  const BucketShape& shape = world.shape;
  Tally tally(DType::i64);
  const Index piece = std::min<Index>(shape.keys, Index{1} << 16);
  std::vector<double> got(static_cast<std::size_t>(piece)), truth(got.size());
  const std::vector<double> bound(got.size(), 0.5);
  // A row's buckets are a part of one line where the offset alone decides.
  const bool by_offset =
      story.map.by_offset && shape.queries > 1 && shape.queries + shape.keys < Index{1} << 22;
  const std::int64_t first_offset = shape.first_key - (shape.first_query + shape.queries - 1);
  std::vector<double> line;
  if (by_offset)
    for (Index k = 0; k < shape.queries + shape.keys - 1; ++k)
      line.push_back(world.bucket(story, shape.first_query, shape.first_query + first_offset + k));
  for (Index row = 0; row < shape.times * shape.queries; ++row) {
    const std::int64_t query = shape.first_query + row % shape.queries;
    for (Index first = 0; first < shape.keys; first += piece) {
      const Index count = std::min(piece, shape.keys - first);
      const std::int64_t key = shape.first_key + first;
      array.read(row * shape.keys + first, count, got.data());
      const double* values = truth.data();
      if (by_offset)
        values = line.data() + (key - query - first_offset);
      else
        for (Index k = 0; k < count; ++k)
          truth[static_cast<std::size_t>(k)] = world.bucket(story, query, key + k);
      tally.add({got.data(), values, values, bound.data(), count, key - query, 1, first}, row);
    }
  }
  return tally;
}

}  // namespace pe
