// Which axes a dump of a bias has, where its queries and keys stand, and the rows of it that are
// looked at first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/biases/observation.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {
namespace {

std::string counted(Index heads) { return heads == 1 ? "1 head" : fmt::format("{} heads", heads); }

BiasShape slopes_of_heads(Index heads) {
  BiasShape shape;
  shape.slopes = true;
  shape.heads = heads;
  shape.layout = "slopes";
  shape.sentence = fmt::format("slopes of {}", counted(heads));
  return shape;
}

BiasShape matrix(const ScoreAxes& axes) {
  BiasShape shape;
  static_cast<ScoreAxes&>(shape) = axes;
  shape.layout = axes.queries == 1 ? "row" : "bias";
  if (axes.queries == 1)
    shape.sentence =
        fmt::format("the bias of one query at {} keys, {}", axes.keys, counted(axes.heads));
  else
    shape.sentence = fmt::format("bias of {}, {} queries and {} keys", counted(axes.heads),
                                 axes.queries, axes.keys);
  if (axes.batch > 1) shape.sentence += fmt::format(", {} times", axes.batch);
  return shape;
}

std::optional<BiasShape> shape_of(const std::vector<Index>& shape, Index heads, bool linear,
                                  const std::string& layout) {
  const Index size =
      shape.empty() ? 0
                    : static_cast<Index>(std::count_if(shape.begin(), shape.end(),
                                                       [](Index extent) { return extent != 1; }));
  const bool may_be_slopes = linear && (layout.empty() || layout == "slopes"),
             may_be_bias = layout != "slopes";
  const auto longest = shape.empty() ? shape.end() : std::max_element(shape.begin(), shape.end());
  if (may_be_slopes && size <= 1 && !shape.empty()) {
    const Index extent = *longest;
    const auto place = static_cast<std::size_t>(longest - shape.begin());
    const bool head_axis = shape.size() == 1 || (shape.size() == 4 && place == 1) ||
                           (shape.size() <= 3 && place == 0) || extent == heads;
    if (head_axis && shape.back() != extent) return slopes_of_heads(extent);
    if (shape.size() == 1 && (extent == heads || heads > 1 || !may_be_bias))
      return slopes_of_heads(extent);
    if (shape.size() == 2 && extent == heads && heads > 1) return slopes_of_heads(extent);
  }
  const std::optional<ScoreAxes> axes = may_be_bias ? score_axes(shape, heads) : std::nullopt;
  return axes ? std::optional(matrix(*axes)) : std::nullopt;
}

// Keys of a row that are looked at: all of few, else the beginning, the query's surroundings, the
// end and places between.
std::vector<PositionRange> runs_of(const BiasShape& shape, std::int64_t query,
                                   std::int64_t beside) {
  constexpr Index few = 512;
  if (shape.keys <= few) return {{shape.first_key, 1, shape.keys, 0}};
  std::vector<std::pair<std::int64_t, std::int64_t>> spans = {{0, 64},
                                                              {shape.keys - 64, shape.keys}};
  const auto around = [&](std::int64_t key, std::int64_t width) {
    const std::int64_t at = key - shape.first_key;
    spans.emplace_back(std::clamp<std::int64_t>(at - width, 0, shape.keys),
                       std::clamp<std::int64_t>(at + width, 0, shape.keys));
  };
  around(query, 96);
  around(beside, 16);
  for (const std::int64_t part : {1, 3, 5, 7}) around(shape.first_key + part * shape.keys / 8, 8);
  std::ranges::sort(spans);
  std::vector<PositionRange> runs;
  std::int64_t done = 0;
  for (const auto& [from, to] : spans) {
    const std::int64_t first = std::max(from, done);
    if (first < to) {
      runs.push_back({shape.first_key + first, 1, to - first, 0});
      done = to;
    }
  }
  return runs;
}

// The biases of the one pair that the first token of a sequence makes, zeros, and no slopes.
bool is_first_token(const Expectation& expected, const Stored& array) {
  constexpr Index most = 1 << 16;
  if (expected.rows != Index{1} || expected.first != 0 || array.shape.size() < 3 ||
      array.shape.back() != 1 || array.size() > most)
    return false;
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  array.read(0, array.size(), values.data());
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

std::vector<Index> spread(Index count, Index most) {
  std::vector<Index> some;
  for (Index i = 0; i < std::min(count, most); ++i)
    some.push_back(count <= most ? i : i * (count - 1) / (most - 1));
  return some;
}

}  // namespace

BiasShape recognise_bias(const Expectation& expected, const Bias& bias, const Stored& array) {
  constexpr std::string_view layouts[] = {"", "slopes", "bias", "row"};
  if (std::ranges::find(layouts, expected.layout) == std::end(layouts))
    throw UsageError(fmt::format("a dump of {} is laid out as slopes, bias or row, not {}",
                                 expected.encoding->name, expected.layout));
  const bool linear = !bias.slopes.empty() && !is_first_token(expected, array);
  const std::optional<BiasShape> found =
      array.size() > 0 ? shape_of(array.shape, bias.heads, linear, expected.layout) : std::nullopt;
  if (!found && expected.layout != "slopes") refuse_long_rows(array);
  if (!found)
    throw UsageError(
        fmt::format("{} {} is none of: bias [head, query, key] with or without a batch before it, "
                    "one query's [head, 1, key]{}",
                    array.shown, spell_array(array), bias.slopes.empty() ? "" : ", slopes [head]"));
  BiasShape shape = *found;
  constexpr Index most_heads = 1 << 16;
  if (shape.heads > most_heads)
    throw UsageError(fmt::format("{} {} would be the {} of {} heads: no attention has more than {}",
                                 array.shown, spell_array(array), shape.slopes ? "slopes" : "bias",
                                 shape.heads, most_heads));
  if (shape.queries > shape.keys)
    throw UsageError(fmt::format("{} {} has more queries ({}) than keys ({})", array.shown,
                                 spell_array(array), shape.queries, shape.keys));
  place(shape, expected.first);
  return shape;
}

void add_probe(BiasObservation& observation, const Stored& array, Index row, Index key) {
  const BiasShape& shape = observation.shape;
  BiasObservation::Probe probe{.plane = row / shape.queries,
                               .query = shape.first_query + row % shape.queries};
  if (shape.slopes) {
    probe.runs = {{0, 1, 1, 0}};
  } else {
    probe.runs = runs_of(shape, probe.query, shape.first_key + key);
  }
  for (const PositionRange& run : probe.runs) {
    const std::size_t before = probe.got.size();
    probe.got.resize(before + static_cast<std::size_t>(run.count));
    array.read(row * shape.keys + run.first - (shape.slopes ? 0 : shape.first_key), run.count,
               probe.got.data() + before);
  }
  probe.hidden = observation.hidden(probe);
  observation.probes.push_back(std::move(probe));
}

BiasObservation observe_bias(const Expectation& expected, const Stored& array) {
  BiasObservation observation;
  observation.expected = &expected;
  observation.bias = std::make_shared<const Bias>(std::get<Bias>(expected.effect));
  observation.dtype = array.dtype;
  observation.array = std::make_shared<const Stored>(array);
  observation.ladders =
      std::make_shared<std::map<std::pair<Index, std::string>, std::vector<Real>>>();
  observation.shape = recognise_bias(expected, *observation.bias, array);
  const BiasShape& shape = observation.shape;
  const bool linear = !observation.bias->slopes.empty();
  if (observation.bias->rows &&
      (shape.first_key < 0 || shape.last_key() >= *observation.bias->rows))
    throw UsageError(
        fmt::format("{} has keys at positions {} to {}, and this bias has {} positions",
                    array.shown, shape.first_key, shape.last_key(), *observation.bias->rows));
  const auto farthest =
      static_cast<double>(std::max(std::abs(shape.first_key), std::abs(shape.last_key())) + 1);
  observation.bound =
      expected.encoding->drift(expected.parameters, expected.effect, {shape.heads, farthest});
  observation.base = {.bias = observation.bias,
                      .slopes = observation.bias->slopes,
                      .masked = observation.bias->causal};
  for (Index head = 0; head < shape.heads; ++head)
    observation.base.heads.push_back(std::min(head, observation.bias->heads - 1));
  const auto& entries = expected.parameters.entries();
  if (linear && std::ranges::any_of(entries, [](const auto& entry) {
        return entry.name == "form" && entry.text == "key";
      }))
    observation.base.constant = BiasHypothesis::Constant::key;

  if (!shape.slopes) observation.mask = std::make_shared<const DumpMask>(array, shape);

  // Of a linear bias every head, for they may stand in any order; some 200 000 cells in all. Of
  // other batches one head, for their padding.
  const std::vector<Index> heads = spread(shape.heads, linear ? 4096 : 64);
  const Index per_head = Index{200'000} / std::ssize(heads) / std::min<Index>(shape.keys, 512);
  std::vector<Index> rows = spread(shape.queries, std::clamp<Index>(per_head, 2, 8));
  for (const Index early : {Index{1}, Index{2}, Index{3}})
    if (early < shape.queries && per_head > 8) rows.push_back(early);
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const Index head : shape.slopes ? spread(shape.heads, shape.heads) : heads)
    for (const Index query : rows) add_probe(observation, array, head * shape.queries + query, 0);
  for (const Index batch : spread(shape.batch, 8))
    if (batch > 0)
      for (const Index query : rows)
        add_probe(observation, array, batch * shape.heads * shape.queries + query, 0);

  constexpr Index most_batches = 4096;
  if (linear && !shape.slopes && shape.batch <= most_batches)
    for (Index batch = 0; batch < shape.batch; ++batch) {
      observation.first_rows.emplace_back(static_cast<std::size_t>(shape.keys));
      array.read(batch * shape.heads * shape.queries * shape.keys, shape.keys,
                 observation.first_rows.back().data());
    }
  return observation;
}

}  // namespace pe
