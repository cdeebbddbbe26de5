// In which order the rows go by distance, and which of them repeat a clamped one.
#include "pe/diagnosis/sinusoids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {
namespace {

using Distances = std::vector<std::int64_t>;

Distances counted(std::int64_t first, std::int64_t step, Index count) {
  Distances all;
  for (Index i = 0; i < count; ++i) all.push_back(first + i * step);
  return all;
}

// Sum of |differences| of some rows from the sinusoids of an order, whatever the layout of a row.
double distance_from(const Table& table, const Distances& order, const Stored& array) {
  constexpr Index most = 64;
  std::vector<double> held(static_cast<std::size_t>(table.width)), meant(held.size());
  double sum = 0;
  for (const Index row : spread_over(std::ssize(order), most)) {
    array.read(row * table.width, table.width, held.data());
    table.fill({order[static_cast<std::size_t>(row)], 1, 1, 0}, DType::f64,
               reinterpret_cast<std::byte*>(meant.data()));
    std::ranges::replace_if(
        held, [](double value) { return !std::isfinite(value); }, 2.0);
    std::ranges::sort(held);
    std::ranges::sort(meant);
    for (std::size_t c = 0; c < held.size(); ++c) sum += std::fabs(held[c] - meant[c]);
  }
  return sum;
}

// Rows that repeat the distance of their neighbours, before a run of distances and behind it.
struct Repeated {
  Index before = 0, behind = 0;
};

Repeated repeated_in(const Distances& order) {
  Repeated repeated;
  const auto last = std::ssize(order) - 1;
  const auto at = [&](Index i) { return order[static_cast<std::size_t>(i)]; };
  while (repeated.before < last && at(repeated.before + 1) == at(repeated.before))
    ++repeated.before;
  while (last - repeated.behind > repeated.before &&
         at(last - repeated.behind - 1) == at(last - repeated.behind))
    ++repeated.behind;
  return repeated;
}

std::string spell(const Distances& order) {
  const std::int64_t step = order.size() > 1 ? order[1] - order[0] : 1;
  return fmt::format("{}:{}:{}", order.front(), order.back() + step, step);
}

// The rows without those that repeat; nothing where these are no copies.
std::optional<Stored> without(const Stored& array, const Repeated& repeated) {
  const std::vector<Index> shape = squeezed(array.shape);
  const Index rows = shape[0], width = shape[1];
  std::vector<double> row(static_cast<std::size_t>(width)), edge(row.size());
  const auto are_copies = [&](Index first, Index end, Index of) {
    array.read(of * width, width, edge.data());
    for (Index r = first; r < end; ++r) {
      array.read(r * width, width, row.data());
      if (row != edge) return false;
    }
    return true;
  };
  if (!are_copies(0, repeated.before, repeated.before) ||
      !are_copies(rows - repeated.behind, rows, rows - 1 - repeated.behind))
    return {};
  Stored some = array;
  some.shape = {rows - repeated.before - repeated.behind, width};
  some.fill = [fill = array.fill, start = repeated.before * width](
                  Index first, Index count, std::byte* out) { fill(start + first, count, out); };
  return some;
}

// Real numbers that are not all whole, in rows as wide as the sinusoids.
bool may_be_sinusoids(const Stored& array, Index width) {
  const std::vector<Index> shape = squeezed(array.shape);
  if (shape.size() != 2 || shape[1] != width || is_integer(array.dtype)) return false;
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  array.read(0, std::ssize(some), some.data());
  return !std::ranges::all_of(some, [](double value) { return value == std::round(value); });
}

// The rows of one sequence where every sequence has the same, [row, sequence, channel], as XLNet
// hands them on; else the array as it is.
Stored of_one_sequence(const Stored& array, Index width) {
  const std::vector<Index> shape = squeezed(array.shape);
  if (shape.size() != 3 || shape[2] != width || is_integer(array.dtype)) return array;
  std::vector<double> row(static_cast<std::size_t>(shape[1] * width));
  for (Index r = 0; r < shape[0]; ++r) {
    array.read(r * std::ssize(row), std::ssize(row), row.data());
    for (Index i = width; i < std::ssize(row); ++i)
      if (row[static_cast<std::size_t>(i)] != row[static_cast<std::size_t>(i - width)])
        return array;
  }
  Stored rows = array;
  rows.shape = shape;
  return rows_of(rows, 1, 0, 1);
}

// Rows that are held against the sinusoids of their distances.
struct OrderedRows {
  Stored rows;
  Distances distances;
  bool rises = false;
  std::optional<Reason> reason = {};
};

// The nearest order that falls and the nearest that rises, of those whose repeated rows are copies.
std::vector<OrderedRows> ordered_rows(const Expectation& expected, const Relative& relative,
                                      const Stored& array) {
  const Index count = squeezed(array.shape)[0];
  const bool has_clamp = expected.parameters.has("clamp-len");
  std::vector<OrderedRows> all;
  if (expected.encoding->name == "shaw") {
    all.push_back({array, counted(relative.first_sinusoid, 1, relative.buckets.count)});
    return all;
  }
  for (const std::int64_t clamp :
       {has_clamp ? expected.parameters.integer("clamp-len") : 0, std::int64_t{0}})
    for (const bool rises : {false, true}) {
      std::optional<OrderedRows> best;
      double nearest = HUGE_VAL;
      for (DistanceReading& order : distance_orders(relative, count, expected, clamp)) {
        if (order.rises != rises) continue;
        const double here = distance_from(*relative.sinusoids, order.distances, array);
        if (best && !(here < nearest)) continue;
        const Repeated repeated = repeated_in(order.distances);
        auto rows = without(array, repeated);
        if (!rows) continue;
        nearest = here;
        Distances& d = order.distances;
        best = OrderedRows{
            std::move(*rows), {d.begin() + repeated.before, d.end() - repeated.behind}, rises};
        if (has_clamp && clamp == 0)  // distances that should repeat at the clamp and do not
          best->reason = {Cause::bias_distance,
                          fmt::format("distances go on beyond --clamp-len {}, where they are to "
                                      "stay at it",
                                      expected.parameters.spell("clamp-len"))};
      }
      if (best && (!best->reason || all.empty())) all.push_back(std::move(*best));
    }
  return all;
}

// As its encoding lays sinusoids out: NEZHA's by turns.
std::string layout_of(const Expectation& expected) {
  return expected.parameters.has("layout") ? expected.parameters.choice("layout") : "interleaved";
}

}  // namespace

std::vector<DistanceReading> distance_orders(const Relative& relative, Index rows,
                                             const Expectation& expected, std::int64_t clamp) {
  std::vector<DistanceReading> all;
  const std::int64_t first = expected.first, keys = first + expected.rows.value_or(0);
  if (first < 0) {
    all = {{counted(-first, -1, rows)}};
  } else if (first > 0) {
    all = {{counted(keys - 1, -1, rows)}, {counted(keys, -1, rows)}};
  } else if (relative.causal) {
    all = {
        {counted(rows - 1, -1, rows)}, {counted(rows / 2, -1, rows)}, {counted(0, 1, rows), true}};
    for (std::int64_t& distance : all[1].distances) distance = std::max<std::int64_t>(0, distance);
  } else {
    all = {{counted(rows / 2, -1, rows)},
           {counted(rows - 1, -1, rows)},
           {counted(-(rows - 1) / 2, 1, rows), true},
           {counted(0, 1, rows), true}};
  }
  for (DistanceReading& order : all)
    for (std::int64_t& distance : order.distances)
      if (clamp > 0) distance = std::clamp(distance, -clamp, clamp);
  return all;
}

std::vector<SinusoidDump> sinusoids_of(const Expectation& expected, const Dump& dump) {
  const Relative* relative = std::get_if<Relative>(&expected.effect);
  if (!relative || !relative->sinusoids || !dump.before.empty() || dump.arrays.size() != 1)
    return {};
  const Index width = relative->sinusoids->width;
  const Stored array = of_one_sequence(dump.arrays[0], width);
  if (!may_be_sinusoids(array, width)) return {};
  const auto given = [&](std::string text) {
    return GivenValue{std::move(text), fmt::format("{}'s sinusoids", expected.encoding->name)};
  };
  const auto& entries = expected.parameters.entries();
  std::vector<SinusoidDump> all;
  for (OrderedRows& one : ordered_rows(expected, *relative, array)) {
    Expectation table = expectation_of(make_subject(
        SubjectTexts{
            .encoding = &find_encoding("sinusoidal"),
            .flags = {{"dim", given(std::to_string(width))},
                      {"base",
                       given(std::ranges::find(entries, "base", &Parameters::Entry::name)->text)},
                      {"layout", given(layout_of(expected))}},
            .positions = spell(one.distances)},
        std::ssize(one.distances)));
    all.push_back({std::move(table),
                   {{std::move(one.rows)}, {}, dump.has_gaps},
                   std::move(one.reason),
                   one.rises});
  }
  return all;
}

}  // namespace pe
