// The diagnosis of index matrices: which bucket each pair of a query and a key has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/bias.hpp"
#include "pe/diagnosis/bucket_maps.hpp"
#include "pe/diagnosis/score_tally.hpp"

namespace pe {
namespace {

// A dump's axes: times × [query, key]. By offset: one row, as if query 0 saw keys at −(S−1) … S−1.
struct BucketShape {
  Index times = 1, queries = 1, keys = 1;
  std::int64_t first_query = 0, first_key = 0;
  std::string layout, sentence;
};

struct BucketStory {
  Buckets map;
  Given changes = {};
  bool transposed = false;
  std::int64_t query_shift = 0, added = 0;
  Index swapped_width = 0;  // columns of the window, where rows and columns have changed places
};

struct BucketWorld {
  using Story = BucketStory;
  struct Probe {
    std::int64_t query = 0;
    PositionRange keys = {};
    std::vector<double> got = {};
  };

  const Expectation* expected = nullptr;
  Buckets map;
  Index window_width = 0;
  BucketShape shape;
  std::vector<Probe> probes;

  double bucket(const BucketStory& story, std::int64_t query, std::int64_t key) const {
    const std::int64_t i = query + story.query_shift;
    if (story.swapped_width > 0) {
      const Index width = story.swapped_width, height = *map.positions / width;
      const auto turned = [&](std::int64_t p) { return p % width * height + p / width; };
      return static_cast<double>((story.transposed ? swapped(key, i, turned, height, width) : swapped(i, key, turned, height, width)) + story.added);
    }
    return static_cast<double>((story.transposed ? story.map.of(key, i) : story.map.of(i, key)) + story.added);
  }

  // (Δw + W − 1)(2H − 1) + (Δh + H − 1).
  template <typename Turned>
  static Index swapped(std::int64_t query, std::int64_t key, const Turned& turned, Index height, Index width) {
    const std::int64_t q = turned(query), k = turned(key);
    return (q / height - k / height + width - 1) * (2 * height - 1) + q % height - k % height + height - 1;
  }

  Fit measure(const BucketStory& story) const {
    Fit fit{0, 0, 0};
    Index cells = 0, within = 0;
    for (const Probe& probe : probes)
      for (Index k = 0; k < probe.keys.count; ++k) {
        const double difference = std::fabs(probe.got[static_cast<std::size_t>(k)] - bucket(story, probe.query, probe.keys.at(k)));
        fit.residual = std::max(fit.residual, std::isnan(difference) ? HUGE_VAL : difference);
        within += difference == 0, ++cells;
      }
    fit.excess = within == cells ? 0 : HUGE_VAL;
    fit.share = static_cast<double>(within) / static_cast<double>(std::max<Index>(cells, 1));
    return fit;
  }
};

using Offers = std::vector<Proposal<BucketStory>>;

template <BucketFault fault>
Offers maps(const BucketWorld& world, const BucketStory& story) {
  Offers offers;
  const BucketBalance balance = [&](const Buckets& map) {
    BucketStory other = story;
    other.map = map;
    double sum = 0;
    for (const BucketWorld::Probe& probe : world.probes)
      for (Index k = 0; k < probe.keys.count; ++k) sum += probe.got[static_cast<std::size_t>(k)] - world.bucket(other, probe.query, probe.keys.at(k));
    return sum;
  };
  for (BucketMap& map : bucket_maps(*world.expected, story.map, fault, story.changes, balance)) {
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
  const bool key_less = world.expected->encoding->name == "t5" || world.expected->encoding->name == "shaw" || world.expected->encoding->name == "tupe";
  return {{std::move(other), key_less ? "the buckets are those of query - key, where key - query is meant" : "the buckets are those of key - query, where query - key is meant", 1}};
}

Offers alignment(const BucketWorld& world, const BucketStory& story) {
  if (world.shape.queries == world.shape.keys || world.shape.layout == "bucket-offsets") return {};
  BucketStory other = story;
  other.query_shift = world.shape.first_key - world.shape.first_query;
  return {{std::move(other), fmt::format("the {} queries are aligned to the first of the {} keys, where they are the last", world.shape.queries, world.shape.keys), 1}};
}

Offers offsets(const BucketWorld& world, const BucketStory& story) {
  Offers offers = maps<BucketFault::offset>(world, story);
  std::vector<double> differences;
  for (const BucketWorld::Probe& probe : world.probes)
    for (Index k = 0; k < probe.keys.count; ++k) differences.push_back(probe.got[static_cast<std::size_t>(k)] - world.bucket(story, probe.query, probe.keys.at(k)));
  if (differences.empty()) return offers;
  std::ranges::nth_element(differences, differences.begin() + std::ssize(differences) / 2);
  const double middle = differences[differences.size() / 2];
  if (middle == 0 || std::fabs(middle) > 0x1p40) return offers;
  BucketStory other = story;
  other.added = static_cast<std::int64_t>(middle);
  offers.insert(offers.begin(), {std::move(other), fmt::format("{:+} is added to every bucket", static_cast<std::int64_t>(middle)), 1});
  return offers;
}

Offers axes(const BucketWorld& world, const BucketStory& story) {
  if (world.window_width == 0 || !world.map.positions) return {};
  BucketStory other = story;
  other.swapped_width = world.window_width;
  return {{std::move(other), "columns count for rows: the difference of columns is multiplied, where that of rows is to be", 1}};
}

constexpr Cause<BucketWorld> causes[] = {
    {{"bucket-transposed", "the buckets are those of the offset's other sign", "bias buckets"}, "axes", &transposed},
    {{"bucket-direction", "buckets of both directions for those of one, or the reverse", "bias buckets"}, "direction", &maps<BucketFault::direction>},
    {{"bias-alignment", "queries are aligned to the first keys instead of the last", "bias buckets"}, "alignment", &alignment},
    {{"bucket-count", "the encoding has another number of buckets", "buckets"}, "count", &maps<BucketFault::count>},
    {{"bucket-max-distance", "the buckets end at another distance", "bias buckets"}, "distance", &maps<BucketFault::max_distance>},
    {{"bucket-offset", "every bucket is shifted by a constant", "bias buckets"}, "offset", &offsets},
    {{"bucket-boundary", "the boundaries of the buckets are off by one", "bias buckets"}, "boundary", &maps<BucketFault::boundary>},
    {{"axes-swapped", "rows and columns of a window have changed places", "buckets"}, "window", &axes},
};

// Without the axes of one, [1, 1, S, S] is [S, S].
std::vector<BucketShape> shapes_of(const Expectation& expected, const Stored& array) {
  std::vector<Index> shape = array.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() == 2 && shape[0] == 1 && array.shape.size() <= 2) shape.erase(shape.begin());
  if (shape.size() == 2 && shape[1] == 1) shape.pop_back();
  std::vector<BucketShape> shapes;
  const std::string& layout = expected.layout;
  if (shape.size() == 1) {
    const Index size = shape[0];
    if (size % 2 == 1 && (layout.empty() || layout == "bucket-offsets"))
      shapes.push_back({.keys = size, .first_query = 0, .first_key = -(size - 1) / 2, .layout = "bucket-offsets", .sentence = fmt::format("buckets by offset, {} to {}", -(size - 1) / 2, (size - 1) / 2)});
    if (layout.empty() || layout == "bucket-row")
      shapes.push_back({.keys = size, .first_query = expected.first != 0 ? expected.first : size - 1, .layout = "bucket-row", .sentence = fmt::format("buckets of one query at {} keys", size)});
  } else if (shape.size() >= 2 && (layout.empty() || layout == "buckets")) {
    BucketShape matrix{.queries = shape.end()[-2], .keys = shape.back(), .layout = "buckets", .sentence = {}};
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) matrix.times *= shape[axis];
    matrix.first_query = expected.first != 0 ? expected.first : matrix.keys - matrix.queries;
    matrix.sentence = fmt::format("buckets of {} queries and {} keys", matrix.queries, matrix.keys) + (matrix.times > 1 ? fmt::format(", {} times", matrix.times) : "");
    if (matrix.queries <= matrix.keys) shapes.push_back(std::move(matrix));
  }
  for (BucketShape& one : shapes)
    if (one.layout != "bucket-offsets") one.first_key = one.first_query + one.queries - one.keys;
  if (shapes.empty() || array.size() == 0)
    throw UsageError(fmt::format("{} {} is none of: bucket matrix [query, key], buckets by offset [2S-1], one query's row [key]", array.shown, spell_array(array)));
  return shapes;
}

void add_probe(BucketWorld& world, const Stored& array, Index row, Index key) {
  constexpr Index most = 1024;
  const BucketShape& shape = world.shape;
  const Index first = std::clamp<Index>(key - most / 2, 0, std::max<Index>(0, shape.keys - most)), count = std::min(most, shape.keys);
  BucketWorld::Probe probe{.query = shape.first_query + row % shape.queries, .keys = {shape.first_key + first, 1, count, 0}};
  probe.got.resize(static_cast<std::size_t>(count));
  array.read(row * shape.keys + first, count, probe.got.data());
  world.probes.push_back(std::move(probe));
}

BucketWorld world_of(const Expectation& expected, const Stored& array, const Buckets& map, BucketShape shape) {
  BucketWorld world{.expected = &expected, .map = map, .window_width = 0, .shape = std::move(shape), .probes = {}};
  if (const Bias* bias = std::get_if<Bias>(&expected.effect)) world.window_width = bias->window_width;
  const BucketShape& axes = world.shape;
  if (map.positions && (axes.first_key < 0 || axes.first_key + axes.keys > *map.positions || axes.first_query < 0))
    throw UsageError(fmt::format("{} has keys at positions {} to {}, and this encoding has {} positions", array.shown, axes.first_key, axes.first_key + axes.keys - 1,
                                 *map.positions));
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

Tally pass(const BucketWorld& world, const Stored& array, const BucketStory& story) {
  const BucketShape& shape = world.shape;
  Tally tally(DType::i64);
  const Index piece = std::min<Index>(shape.keys, Index{1} << 16);
  std::vector<double> got(static_cast<std::size_t>(piece)), truth(got.size());
  const std::vector<double> bound(got.size(), 0.5);
  // A row's buckets are a part of one line where the offset alone decides.
  const bool by_offset = story.map.by_offset && shape.queries > 1;
  const std::int64_t first_offset = shape.first_key - (shape.first_query + shape.queries - 1);
  std::vector<double> line;
  if (by_offset)
    for (Index k = 0; k < shape.queries + shape.keys - 1; ++k) line.push_back(world.bucket(story, shape.first_query, shape.first_query + first_offset + k));
  for (Index row = 0; row < shape.times * shape.queries; ++row) {
    const std::int64_t query = shape.first_query + row % shape.queries;
    for (Index first = 0; first < shape.keys; first += piece) {
      const Index count = std::min(piece, shape.keys - first);
      const std::int64_t key = shape.first_key + first;
      array.read(row * shape.keys + first, count, got.data());
      const double* values = truth.data();
      if (by_offset) values = line.data() + (key - query - first_offset);
      else
        for (Index k = 0; k < count; ++k) truth[static_cast<std::size_t>(k)] = world.bucket(story, query, key + k);
      tally.add({got.data(), values, values, bound.data(), count, key - query, 1, first}, row);
    }
  }
  return tally;
}

// Tables that are stored with a query before them hold relative positions without the table's offset: DeBERTa's rel_pos, Shaw's clip.
std::optional<std::int64_t> span_of(const Expectation& expected, const Buckets& map) {
  if (expected.encoding->name != "deberta" && expected.encoding->name != "shaw") return {};
  return map.of(0, 0);
}

}  // namespace

std::vector<CauseRow> bucket_causes() {
  std::vector<CauseRow> rows;
  for (const Cause<BucketWorld>& cause : causes) rows.push_back(cause.row);
  return rows;
}

Diagnosis diagnose_buckets(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"bucket", "index", "relative", "rel_pos"};
  const Stored& array = only_array(expected, dump, names);
  const std::optional<Buckets> map = buckets_of(expected.effect);
  if (!map) throw UsageError(fmt::format("{} has no buckets to compare {} with", expected.encoding->name, array.shown));
  const double unit = 1;
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  if (!some.empty()) array.read(0, std::ssize(some), some.data());
  if (std::ranges::any_of(some, [&](double value) { return std::isfinite(value) && std::fmod(value, unit) != 0; }))
    throw UsageError(fmt::format("{} {} holds numbers that are not whole, and buckets are; for the bias itself give --weights", array.shown, spell_array(array)));

  Diagnosis best;
  std::optional<double> best_cost;
  for (const BucketShape& shape : shapes_of(expected, array)) {
    BucketWorld world = world_of(expected, array, *map, shape);
    BucketStory start{.map = *map};
    std::vector<std::string> notes;
    if (const auto span = span_of(expected, *map); span && !world.measure(start).agrees()) {
      BucketStory signed_map = start;
      signed_map.added = -*span;
      if (world.measure(signed_map).agrees()) {
        start = std::move(signed_map);
        notes.push_back(fmt::format("relative positions before {} is added", *span));
      }
    }
    Diagnosis diagnosis;
    diagnosis.what = fmt::format("{} {}", shape.sentence, spell_array(array));
    diagnosis.layout = shape.layout;
    diagnosis.coverage = fmt::format("all {} cells", array.size());
    diagnosis.bound_from = "none: buckets are whole numbers, decided in integer arithmetic";
    diagnosis.notes = notes;
    const auto place = [&](const Spot& spot) {
      if (shape.layout == "bucket-offsets") return fmt::format("offset {}", shape.first_key + spot.index);
      return fmt::format("query {}, key {}", shape.first_query + spot.run % shape.queries, shape.first_key + spot.index);
    };
    const Tally first = pass(world, array, start);
    first.tell(diagnosis, place);
    diagnosis.bound = 0;
    double cost = first.agrees() ? 0 : 100 + 1 - world.measure(start).share;
    if (first.agrees()) {
      diagnosis.tier = Tier::exact, diagnosis.arithmetic = "exact integers";
    } else {
      if (first.first_wrong()) add_probe(world, array, first.first_wrong()->run, first.first_wrong()->index);
      diagnosis.before = diagnosis.after = world.measure(start).residual;
      const auto found = explain<BucketWorld>(world, start, causes);
      for (const auto& one : found)
        if (pass(world, array, one.story).agrees()) {
          tell<BucketWorld>({one}, diagnosis);
          for (const auto& other : found)
            if (&other != &one && other.cost < one.cost + 0.5 && diagnosis.others.size() < 3 && other.reasons.back().sentence != one.reasons.back().sentence)
              diagnosis.others.push_back(other.reasons.back().cause + ": " + other.reasons.back().sentence);
          cost = one.cost;
          break;
        }
      blame_numbers(diagnosis);
    }
    if (!best_cost || cost < *best_cost) best = std::move(diagnosis), best_cost = cost;
  }
  return best;
}

}  // namespace pe
