// The diagnosis of index matrices: which bucket each pair of a query and a key has.
#include "pe/diagnosis/buckets/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/buckets/observation.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {

// Without the axes of one, [1, 1, S, S] is [S, S].
std::vector<BucketShape> bucket_shapes(const Expectation& expected, const Stored& array) {
  std::vector<Index> shape = array.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() == 2 && shape[0] == 1 && array.shape.size() <= 2) shape.erase(shape.begin());
  if (shape.size() == 2 && shape[1] == 1) shape.pop_back();
  std::vector<BucketShape> shapes;
  const std::string& layout = expected.layout;
  if (shape.size() == 1) {
    const Index size = shape[0];
    // A run of --positions is one of offsets, as pe-gen has it; --length has offsets of both signs.
    const bool is_run = (expected.first != 0 || layout == "bucket-run") && expected.rows == size;
    const std::int64_t first = is_run ? expected.first : -(size - 1) / 2;
    if ((is_run || size % 2 == 1) &&
        (layout.empty() || layout == "bucket-offsets" || layout == "bucket-run"))
      shapes.push_back(
          {.keys = size,
           .first_query = 0,
           .first_key = first,
           .layout = "bucket-offsets",
           .sentence = fmt::format("buckets by offset, {} to {}", first, first + size - 1)});
    if (layout.empty() || layout == "bucket-row")
      shapes.push_back({.keys = size,
                        .first_query = expected.first != 0 ? expected.first : size - 1,
                        .layout = "bucket-row",
                        .sentence = fmt::format("buckets of one query at {} keys", size)});
  } else if (shape.size() >= 2 && (layout.empty() || layout == "buckets")) {
    BucketShape matrix{
        .queries = shape.end()[-2], .keys = shape.back(), .layout = "buckets", .sentence = {}};
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) matrix.times *= shape[axis];
    matrix.first_query = expected.first != 0 ? expected.first : matrix.keys - matrix.queries;
    matrix.sentence =
        fmt::format("buckets of {} queries and {} keys", matrix.queries, matrix.keys) +
        (matrix.times > 1 ? fmt::format(", {} times", matrix.times) : "");
    if (matrix.queries <= matrix.keys) shapes.push_back(std::move(matrix));
  }
  for (BucketShape& one : shapes)
    if (one.layout != "bucket-offsets") one.first_key = one.first_query + one.queries - one.keys;
  if (shapes.empty() || array.size() == 0)
    throw UsageError(
        fmt::format("{} {} is none of: bucket matrix [query, key], buckets by offset [2S-1], one "
                    "query's row [key]",
                    array.shown, spell_array(array)));
  return shapes;
}

namespace {

// Tables that are stored with a query before them hold relative positions without the table's
// offset: DeBERTa's rel_pos, Shaw's clip.
std::optional<std::int64_t> span_of(const Buckets& map) {
  if (!map.rule) return {};
  const bool centred = map.rule->scale == BucketRule::Scale::deberta || map.rule->centre > 0;
  return centred ? std::optional<std::int64_t>(map.of(0, 0)) : std::nullopt;
}

// DeBERTa's relative positions go on beyond the table: it clamps once the span is added.
std::optional<Buckets> unclamped(const Expectation& expected, const Buckets& map) {
  if (expected.encoding->name != "deberta" || !map.rule) return {};
  BucketRule rule = *map.rule;
  rule.clamped = false;
  return make_buckets(rule);
}

// The cells probed on the diagonal of a wrong one are right, most of them: it is no boundary.
bool is_alone(const BucketObservation& observation, const BucketHypothesis& hypothesis,
              const Spot& spot) {
  const BucketShape& shape = observation.shape;
  if (shape.queries < 4) return shape.layout != "bucket-offsets";
  const std::int64_t offset =
      shape.first_key + spot.index - shape.first_query - spot.run % shape.queries;
  Index total = 0, wrong = 0;
  for (const BucketObservation::Probe& probe : observation.probes) {
    const std::int64_t key = probe.query + offset, at = key - probe.keys.first;
    if (at < 0 || at >= probe.keys.count) continue;
    ++total;
    wrong +=
        probe.got[static_cast<std::size_t>(at)] != observation.bucket(hypothesis, probe.query, key);
  }
  return total >= 3 && 2 * wrong < total;
}

}  // namespace

Diagnosis diagnose_buckets(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"bucket", "index", "relative", "rel_pos"};
  const Stored& array = only_array(expected, dump, names);
  const std::optional<Buckets> map = buckets_of(expected.effect);
  if (!map)
    throw UsageError(
        fmt::format("{} has no buckets to compare {} with", expected.encoding->name, array.shown));
  const double unit = 1;
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  if (!some.empty()) array.read(0, std::ssize(some), some.data());
  if (std::ranges::any_of(
          some, [&](double value) { return std::isfinite(value) && std::fmod(value, unit) != 0; }))
    throw UsageError(
        fmt::format("{} {} holds numbers that are not whole, and buckets are; for the bias itself "
                    "give --weights",
                    array.shown, spell_array(array)));

  Diagnosis best;
  std::optional<double> best_cost;
  for (const BucketShape& shape : bucket_shapes(expected, array)) {
    BucketObservation observation = observe_buckets(expected, array, *map, shape);
    BucketHypothesis start{.map = *map};
    std::vector<std::string> notes;
    if (const auto span = span_of(*map); span && !observation.measure(start).agrees()) {
      BucketHypothesis signed_map = start;
      signed_map.added = -*span;
      const auto any_got = [&](auto is_such) {
        return std::ranges::any_of(observation.probes, [&](const auto& probe) {
          return std::ranges::any_of(probe.got, is_such);
        });
      };
      const bool has_negative = any_got([](double bucket) { return bucket < 0; });
      // Before 256 is added nothing is clamped either: what lies beyond is no fault of its own.
      const bool goes_beyond = any_got([reach = static_cast<double>(*span)](double bucket) {
        return bucket >= reach || bucket < -reach;
      });
      if (const auto open = unclamped(expected, *map)) {
        BucketHypothesis free = signed_map;
        free.map = *open;
        if ((has_negative && goes_beyond) || observation.measure(free).agrees())
          signed_map = std::move(free);
      }
      if (observation.measure(signed_map).agrees() ||
          (has_negative &&
           observation.measure(signed_map).share > observation.measure(start).share)) {
        start = std::move(signed_map);
        notes.push_back(fmt::format(
            "relative positions, right where {} is added before the table is read", *span));
      }
    }
    Diagnosis diagnosis;
    diagnosis.what = fmt::format("{} {}", shape.sentence, spell_array(array));
    diagnosis.layout = shape.layout;
    diagnosis.coverage = fmt::format("all {} cells", array.size());
    diagnosis.bound_from = "none: buckets are whole numbers, decided in integer arithmetic";
    const auto place = [&](const Spot& spot) {
      if (shape.layout == "bucket-offsets")
        return fmt::format("offset {}", shape.first_key + spot.index);
      return fmt::format("query {}, key {}", shape.first_query + spot.run % shape.queries,
                         shape.first_key + spot.index);
    };
    const Tally first = bucket_pass(observation, array, start);
    first.tell(diagnosis, place);
    diagnosis.bound = 0;
    double cost = first.agrees() ? 0 : 100 + 1 - observation.measure(start).share;
    if (first.agrees()) {
      diagnosis.tier = Tier::exact;
      diagnosis.arithmetic = "exact integers";
      diagnosis.doubts = notes;
    } else {
      diagnosis.notes = notes;
      if (first.first_wrong())
        add_probe(observation, array, first.first_wrong()->run, first.first_wrong()->index);
      diagnosis.before = diagnosis.after = observation.measure(start).residual;
      const auto found = explain<BucketObservation>(observation, start, bucket_proposers());
      for (const auto& one : found)
        if (bucket_pass(observation, array, one.hypothesis).agrees()) {
          tell<BucketObservation>({one}, diagnosis);
          for (const auto& other : found)
            if (&other != &one && other.cost < one.cost + 0.5 && diagnosis.others.size() < 3 &&
                other.reasons.back().sentence != one.reasons.back().sentence)
              diagnosis.others.push_back({other.reasons.back()});
          cost = one.cost;
          break;
        }
      blame_numbers(diagnosis);
      if (diagnosis.reasons.empty() && is_few(first) &&
          is_alone(observation, start, *first.first_wrong()) &&
          is_alone(observation, start, *first.worst_spot()))
        diagnosis.reasons.push_back(
            {Cause::damaged_cells, fmt::format("{} of {} cells, the first at {}", first.beyond(),
                                               first.cells(), place(*first.first_wrong()))});
    }
    if (!best_cost || cost < *best_cost) {
      best = std::move(diagnosis);
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace pe
