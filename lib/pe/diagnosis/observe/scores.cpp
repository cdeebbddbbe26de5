// Biases, slopes and index matrices as dumps hold them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/whole.hpp"
#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/biases/observation.hpp"
#include "pe/diagnosis/buckets/observation.hpp"
#include "pe/diagnosis/observe/observe.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe::observe_parts {
namespace {

constexpr Index widest = 2048;  // places of an index matrix that laws look at

// Slopes alone: the bias that they make.
Bias of_slopes(const Bias& meant, const Stored& array, Index heads) {
  std::vector<double> slopes(static_cast<std::size_t>(heads));
  array.read(0, heads, slopes.data());
  const bool negative = std::ranges::all_of(
      slopes, [](double slope) { return slope < 0; });  // JinaBERT keeps the bias of one step
  for (double& slope : slopes) slope *= negative ? 1 : -1;
  Bias bias = meant;
  bias.heads = heads;
  bias.fill = [slopes](Index head, std::int64_t query, const PositionRange& keys, DType dtype,
                       std::byte* out) {
    std::vector<double> values;
    for (Index k = 0; k < keys.count; ++k)
      values.push_back(slopes[static_cast<std::size_t>(head)] *
                       std::fabs(static_cast<double>(query - keys.at(k))));
    narrow(values, dtype, out);
  };
  return bias;
}

// The square of positions that are queries and keys both.
Bias of_matrix(const std::shared_ptr<const BiasObservation>& observation, const Stored& array,
               const PositionRange& has) {
  Bias bias = *observation->bias;
  bias.heads = observation->shape.heads;
  bias.rows = has.first + has.count;
  bias.fill = [observation, array, has](Index head, std::int64_t query, const PositionRange& keys,
                                        DType dtype, std::byte* out) {
    const BiasShape& shape = observation->shape;
    check_has(has, {query, 1, 1, 0}, array);
    check_has(has, keys, array);
    std::vector<double> values(static_cast<std::size_t>(keys.count));
    const Index row =
        (head * shape.queries + query - shape.first_query) * shape.keys - shape.first_key;
    for_runs({0, 1, shape.last_key() + 1, 0}, keys, [&](Index key, Index count, Index at) {
      array.read(row + key, count, values.data() + at);
    });
    for (double& value : values)
      if (observation->mask->holds(value)) value = -HUGE_VAL;
    narrow(values, dtype, out);
  };
  return bias;
}

}  // namespace

Observed observe_buckets(const Expectation& expected, const Stored& array) {
  const std::optional<Buckets> map = buckets_of(expected.effect);
  if (!map)
    throw UsageError(
        fmt::format("{} has no buckets to read {} as", expected.encoding->name, array.shown));
  std::vector<BucketShape> shapes = bucket_shapes(expected, array);
  const BucketShape* shape = &shapes.front();
  for (const BucketShape& other : shapes)
    if (observe_buckets(expected, array, *map, other).agrees({.map = *map})) shape = &other;
  const bool line = shape->queries == 1;
  // Places count from the first one that is a query, or offsets from the first one there is.
  const Index places = line ? std::min(shape->keys, Index{1} << 20)
                            : std::min({widest, shape->queries, shape->keys});
  const Index before = line ? 0 : shape->first_query - shape->first_key;
  auto values = std::make_shared<std::vector<double>>(
      static_cast<std::size_t>(line ? places : places * places));
  if (line) array.read(0, places, values->data());
  for (Index query = 0; !line && query < places; ++query)
    array.read(query * shape->keys + before, places, values->data() + query * places);
  if (std::ranges::any_of(*values, [](double value) {
        return value != std::floor(value) || std::fabs(value) > 0x1p52;
      }))
    throw UsageError(fmt::format("{} {} holds numbers that are not whole, and buckets are",
                                 array.shown, spell_array(array)));
  // Relative positions before the table's offset is added: DeBERTa's rel_pos, Shaw's clip.
  if ((expected.encoding->name == "deberta" || expected.encoding->name == "shaw") &&
      std::ranges::min(*values) < 0)
    for (double& value : *values) value += static_cast<double>(map->of(0, 0));
  Buckets buckets = *map;
  buckets.by_offset = line;
  buckets.positions = line ? std::nullopt : std::optional(places);
  const std::int64_t first_offset = line ? shape->first_key - shape->first_query : 1 - places;
  buckets.of = [values, line, places, first_offset](std::int64_t query, std::int64_t key) -> Index {
    const std::int64_t at = line ? key - query - first_offset : query * places + key;
    if (at < 0 || at >= std::ssize(*values))
      throw UsageError(fmt::format("the dump has no bucket for query {} and key {}", query, key));
    return saturated<Index>((*values)[static_cast<std::size_t>(at)]);
  };
  Observed observed{
      .subject = {.effect = expected.effect,
                  .positions = first_positions(line ? 1 : places),
                  .offsets = {first_offset, 1, line ? places : 2 * places - 1, 0},
                  .dtype = DType::f64,
                  .remake = {},
                  .shifts = {},
                  .foreign =
                      Foreign{.value = 0, .value_from = "nothing: buckets are whole numbers"}},
      .what = fmt::format("{} {}", shape->sentence, spell_array(array)),
      .only = {},
      .why = {}};
  if (Bias* bias = std::get_if<Bias>(&observed.subject.effect)) {
    bias->buckets = std::move(buckets);
    bias->fill = {};
  } else {
    Relative& relative = std::get<Relative>(observed.subject.effect);
    relative.buckets = std::move(buckets);
    relative.terms.clear();
    relative.values.reset();
  }
  return observed;
}

Observed observe_bias(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"bias",  "alibi",    "slope",  "bucket",
                                        "index", "relative", "rel_pos"};
  const Stored& found = only_array(expected, dump, names);
  const Bias* meant = std::get_if<Bias>(&expected.effect);
  if (!meant || (meant->buckets && (is_integer(found.dtype) || found.u16 || !meant->fill ||
                                    expected.layout.starts_with("bucket"))))
    return observe_buckets(expected, found);
  const Stored array = found.u16 ? as_bf16(found) : found;
  if (is_integer(array.dtype))
    throw UsageError(fmt::format("{} {} holds integers, and {} is a bias of real numbers",
                                 array.shown, spell_array(array), expected.encoding->name));
  const auto observation = std::make_shared<BiasObservation>(observe_bias(expected, array));
  observation->expected = nullptr;  // of the caller
  const BiasShape& shape = observation->shape;
  const double relative = *std::ranges::max_element(observation->bound.relative);
  Observed observed{.subject = {.effect = {},
                                .positions = {shape.first_query, 1, shape.queries, 0},
                                .offsets = {},
                                .dtype = array.dtype,
                                .remake = {},
                                .shifts = {}},
                    .what = fmt::format("{} {}", shape.sentence, spell_array(array)),
                    .only = {},
                    .why = {}};
  Foreign foreign{.value_from = observation->bound.derivation,
                  .slope = 2 * relative,
                  .slope_from = fmt::format("{:.3g} of float32: {}", 2 * relative,
                                            observation->bound.derivation)};
  if (shape.slopes) {
    observed.subject.effect = of_slopes(*observation->bias, array, shape.heads);
    observed.subject.positions = first_positions(2);
    observed.only = "slopes";
    observed.why = "the dump holds slopes and no biases";
  } else {
    Case& subject = observed.subject;
    const Index seen = subject.positions.count;
    std::vector<double> row(static_cast<std::size_t>(seen));
    Bias bias = of_matrix(observation, array, subject.positions);
    for (Index head = 0; head < shape.heads; ++head) {
      bias.fill(head, subject.positions.at(seen - 1), subject.positions.slice(0, seen), DType::f64,
                reinterpret_cast<std::byte*>(row.data()));
      double largest = 0;
      for (const double value : row)
        if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
      foreign.value =
          std::max(foreign.value, observation->bound.at(head, largest, static_cast<double>(seen)));
    }
    subject.effect = std::move(bias);
    if (shape.batch > 1) observed.what += ", the first of the batch";
  }
  if (is_hidden_throughout(array)) {
    observed.only = "none";  // no law has this name
    observed.why = "every key is hidden from every query: no number of a bias is there";
  }
  observed.subject.foreign = std::move(foreign);
  return observed;
}

}  // namespace pe::observe_parts
