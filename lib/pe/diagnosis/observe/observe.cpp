// Which kind of effect a dump is observed as; tables of rows that are no waves.
#include "pe/diagnosis/observe/observe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/companions.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"
#include "pe/diagnosis/rows/observation.hpp"
#include "pe/diagnosis/written.hpp"

namespace pe {
namespace observe_parts {

void check_has(const PositionRange& has, const PositionRange& positions, const Stored& array) {
  for (const Index i : {Index{0}, positions.count - 1})
    if (positions.count > 0 && (positions.decimals != 0 || positions.at(i) < has.first ||
                                positions.at(i) >= has.first + has.count))
      throw UsageError(fmt::format("{} has no position {}: it has {}", array.shown,
                                   positions.value(i), spell(has)));
}

}  // namespace observe_parts

namespace {

using namespace observe_parts;

Observed observe_rows(const Expectation& expected, const Dump& dump) {
  const auto [observation, given, array, transposed] = row_dump(expected, dump);
  const Index width = observation.width;
  const PositionRange has{observation.first, 1, observation.rows, 0};
  Table table = std::get<Table>(expected.effect);
  table.rows = has.first + has.count;
  table.drift = {};
  table.waves.reset();
  table.beyond.clear();
  table.fill = [array = array, width, has](const PositionRange& positions, DType dtype,
                                           std::byte* out) {
    check_has(has, positions, array);
    for_runs(has, positions, [&](Index row, Index count, Index at) {
      std::byte* to = out + static_cast<std::size_t>(at * width) * size_of(dtype);
      if (dtype == array.dtype) return array.fill(row * width, count * width, to);
      std::vector<double> values(static_cast<std::size_t>(count * width));
      array.read(row * width, count * width, values.data());
      narrow(values, dtype, to);
    });
  };
  double largest = 0;
  if (table.range)
    largest = std::max(std::fabs(table.range->first), std::fabs(table.range->second));
  Foreign foreign{.value = observation.absolute + observation.relative * largest,
                  .value_from = observation.derivation};
  return {.subject = {.effect = std::move(table),
                      .positions = has,
                      .offsets = {},
                      .dtype = is_integer(array.dtype) ? DType::f64 : array.dtype,
                      .remake = {},
                      .shifts = {},
                      .foreign = std::move(foreign)},
          .what = fmt::format("table of {} rows and {} channels {}", observation.rows, width,
                              spell_array(given)),
          .only = {},
          .why = {}};
}

}  // namespace

Observed observe(const Expectation& expected, const Dump& dump) {
  if (!dump.before.empty())
    throw UsageError(
        "laws are measured on tables, biases and buckets, not on vectors before and after");
  refuse_long_rows(dump.arrays);
  refuse_same_names(dump);
  Written written = as_written(expected, dump);
  if (auto companions = companions_of(written.expected, written.dump))
    written.dump = std::move(companions->main);
  refuse_empty(written.dump.arrays);
  if (is_of_turns(expected.effect)) return observe_turns(written.expected, written.dump);
  switch (kind_of(expected.effect)) {
    case Kind::table:
      return observe_rows(written.expected, written.dump);
    case Kind::bias:
    case Kind::relative:
      return observe_bias(written.expected, written.dump);
    case Kind::rotation:
      break;
  }
  throw UsageError(fmt::format("dumps of {} are not observed", expected.encoding->name));
}

Measurement measure(const Property& property, const Observed& observed) {
  if (!observed.only.empty() && property.name != observed.only) {
    Measurement untold;
    untold.skipped = observed.why;
    return untold;
  }
  return property.measure(observed.subject);
}

}  // namespace pe
