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

// The orders that codes and pe-gen have for so many rows: Transformer-XL's pos_seq falls to 0;
// XLNet's from the keys' count to one more than minus the queries'; relative positions
// 1 − L … L − 1 are distances that fall from L − 1, and stay at 0 where later keys are masked.
std::vector<Distances> orders_of(const Relative& relative, Index rows, std::int64_t clamp) {
  std::vector<Distances> all;
  if (relative.causal) {
    all = {counted(rows - 1, -1, rows), counted(0, 1, rows), counted(rows / 2, -1, rows)};
    for (std::int64_t& distance : all.back()) distance = std::max<std::int64_t>(0, distance);
  } else {
    all = {counted(rows / 2, -1, rows), counted(-(rows - 1) / 2, 1, rows),
           counted(rows - 1, -1, rows), counted(0, 1, rows)};
  }
  for (Distances& order : all)
    for (std::int64_t& distance : order)
      if (clamp > 0) distance = std::clamp(distance, -clamp, clamp);
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

// The positions of the dump's rows.
Distances positions_of(const Expectation& expected, const Relative& relative, const Stored& array,
                       bool clamped = true) {
  if (expected.encoding->name == "shaw")
    return counted(relative.first_sinusoid, 1, relative.buckets.count);
  const std::int64_t clamp = clamped && expected.parameters.has("clamp-len")
                                 ? expected.parameters.integer("clamp-len")
                                 : 0;
  const std::vector<Distances> orders = orders_of(relative, squeezed(array.shape)[0], clamp);
  return *std::ranges::min_element(orders, {}, [&](const Distances& order) {
    return distance_from(*relative.sinusoids, order, array);
  });
}

// As its encoding lays sinusoids out: NEZHA's by turns.
std::string layout_of(const Expectation& expected) {
  return expected.parameters.has("layout") ? expected.parameters.choice("layout") : "interleaved";
}

}  // namespace

std::optional<SinusoidDump> sinusoids_of(const Expectation& expected, const Dump& dump) {
  const Relative* relative = std::get_if<Relative>(&expected.effect);
  if (!relative || !relative->sinusoids || !dump.before.empty() || dump.arrays.size() != 1 ||
      !may_be_sinusoids(dump.arrays[0], relative->sinusoids->width))
    return {};
  const auto given = [&](std::string text) {
    return GivenValue{std::move(text), fmt::format("{}'s sinusoids", expected.encoding->name)};
  };
  const auto& entries = expected.parameters.entries();
  Distances positions = positions_of(expected, *relative, dump.arrays[0]);
  Repeated repeated = repeated_in(positions);
  auto rows = without(dump.arrays[0], repeated);
  std::optional<Reason> reason;
  if (!rows && !expected.parameters.has("clamp-len")) return {};
  if (!rows) {  // distances that should repeat at the clamp and do not
    repeated = {};
    rows = dump.arrays[0];
    positions = positions_of(expected, *relative, dump.arrays[0], false);
    reason = {Cause::bias_distance,
              fmt::format("distances go on beyond --clamp-len {}, where they are to stay at it",
                          expected.parameters.spell("clamp-len"))};
  }
  positions.erase(positions.end() - repeated.behind, positions.end());
  positions.erase(positions.begin(), positions.begin() + repeated.before);
  Expectation table = expectation_of(make_subject(
      SubjectTexts{
          .encoding = &find_encoding("sinusoidal"),
          .flags = {{"dim", given(std::to_string(relative->sinusoids->width))},
                    {"base",
                     given(std::ranges::find(entries, "base", &Parameters::Entry::name)->text)},
                    {"layout", given(layout_of(expected))}},
          .positions = spell(positions)},
      std::ssize(positions)));
  return SinusoidDump{std::move(table), {{std::move(*rows)}, {}, dump.has_gaps}, std::move(reason)};
}

}  // namespace pe
