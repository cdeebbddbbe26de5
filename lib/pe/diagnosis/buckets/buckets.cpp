// The diagnosis of index matrices: which bucket each pair of a query and a key has.
#include "pe/diagnosis/buckets/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

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
  // As many numbers as a window has pairs: transformers keeps the matrix flat.
  const auto map = buckets_of(expected.effect);
  if (const Index places = map ? map->positions.value_or(0) : 0;
      shape.size() == 1 && places > 1 && shape[0] == places * places)
    shape = {places, places};
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

// What would make real numbers something that can be judged.
std::string_view what_to_give(const Expectation& expected) {
  for (const Parameter& parameter : expected.encoding->parameters)
    if (const std::string_view name = parameter.name; name == "weights")
      return "; for the bias itself give --weights";
    else if (name == "keys")
      return "; for vectors [query, key, channel], or their table, give --keys or --values of as "
             "many channels";
  return "";
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

// What a dump may be where nothing is wrong.
struct Start {
  BucketHypothesis hypothesis;
  std::vector<std::string> notes = {};
};

// The one that agrees, else the nearest, first. Before 256 is added to DeBERTa's relative positions
// nothing is clamped either: what lies beyond the table is no fault of its own.
std::vector<Start> starts_of(const Expectation& expected, const BucketObservation& observation) {
  const Buckets& map = observation.map;
  std::vector<Start> starts = {{{.map = map}}};
  if (const auto span = span_of(map)) {
    const std::string note =
        fmt::format("relative positions, right where {} is added before the table is read", *span);
    starts.push_back({{.map = map, .added = -*span}, {note}});
    if (const auto open = unclamped(expected, map))
      starts.push_back({{.map = *open, .added = -*span}, {note}});
  }
  std::ranges::stable_sort(starts, std::greater{}, [&](const Start& start) {
    return observation.measure(start.hypothesis).share;
  });
  return starts;
}

struct Smallest {
  std::size_t start = 0;
  std::vector<Explanation<BucketObservation>> all = {};
  std::size_t at = 0;  // of these, that agrees at every cell
};

// The cheapest explanation from any start, by one cause, else by two.
std::optional<Smallest> smallest(const BucketObservation& observation, const Stored& array,
                                 const std::vector<Start>& starts) {
  std::vector<Search<BucketObservation>> searches;
  for (const Start& start : starts)
    searches.emplace_back(observation, start.hypothesis, bucket_proposers());
  for (const int depth : {1, 2}) {
    std::optional<Smallest> best;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      auto found = searches[i].at_depth(depth);
      for (std::size_t at = 0; at < found.size(); ++at) {
        if (best && found[at].cost >= best->all[best->at].cost) break;
        if (!bucket_pass(observation, array, found[at].hypothesis).agrees()) continue;
        best = {i, std::move(found), at};
        break;
      }
    }
    if (best) return best;
  }
  return {};
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
    throw UsageError(fmt::format("{} {} holds numbers that are not whole, and buckets are{}",
                                 array.shown, spell_array(array), what_to_give(expected)));

  Diagnosis best;
  std::optional<double> best_cost;
  for (const BucketShape& shape : bucket_shapes(expected, array)) {
    BucketObservation observation = observe_buckets(expected, array, *map, shape);
    std::vector<Start> starts = starts_of(expected, observation);
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
    Tally first = bucket_pass(observation, array, starts[0].hypothesis);
    double cost = 0;
    if (first.agrees()) {
      first.tell(diagnosis, place);
      diagnosis.tier = Tier::exact;
      diagnosis.arithmetic = "exact integers";
      diagnosis.doubts = starts[0].notes;
    } else if (!expected.searches) {
      cost = HUGE_VAL;
    } else {
      for (const Start& start : starts) {
        const Tally pass = bucket_pass(observation, array, start.hypothesis);
        if (const auto& spot = pass.first_wrong())
          add_probe(observation, array, spot->run, spot->index);
      }
      const auto found = smallest(observation, array, starts);
      const Start& start = starts[found ? found->start : 0];
      if (found && found->start > 0) first = bucket_pass(observation, array, start.hypothesis);
      first.tell(diagnosis, place);
      diagnosis.notes = start.notes;
      cost = found ? found->all[found->at].cost
                   : 100 + 1 - observation.measure(start.hypothesis).share;
      diagnosis.before = diagnosis.after = observation.measure(start.hypothesis).residual;
      if (found) {
        const auto& one = found->all[found->at];
        tell<BucketObservation>({one}, diagnosis);
        for (const auto& other : found->all)
          if (&other != &one && other.cost < one.cost + 0.5 && diagnosis.others.size() < 3 &&
              other.reasons.back().sentence != one.reasons.back().sentence)
            diagnosis.others.push_back({other.reasons.back()});
      }
      blame_numbers(diagnosis);
      if (diagnosis.reasons.empty() && is_few(first) &&
          is_alone(observation, start.hypothesis, *first.first_wrong()) &&
          is_alone(observation, start.hypothesis, *first.worst_spot()))
        diagnosis.reasons.push_back(
            {Cause::damaged_cells, fmt::format("{} of {} cells, the first at {}", first.beyond(),
                                               first.cells(), place(*first.first_wrong()))});
    }
    diagnosis.bound = 0;
    if (!best_cost || cost < *best_cost) {
      best = std::move(diagnosis);
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace pe
