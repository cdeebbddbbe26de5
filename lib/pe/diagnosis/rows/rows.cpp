// The diagnosis of a table of rows: every row against the one meant, and the smallest cause where
// rows are wrong.
#include "pe/diagnosis/rows/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/diagnosis/rows/another.hpp"
#include "pe/diagnosis/rows/observation.hpp"
#include "pe/diagnosis/stripes.hpp"

namespace pe {
namespace {

constexpr Index most_matched = Index{1} << 20;  // rows whose place in the table meant is looked up

// [times, rows, width] of a dump; transposed where only that fits.
struct RowShape {
  Index times = 1, rows = 0;
  bool transposed = false;
};

RowShape shape_of(const Expectation& expected, const Table& table, const Stored& array) {
  std::vector<Index> shape = array.shape;
  if (shape.size() == 1 && table.width == 1) shape.push_back(1);
  if (shape.size() == 1 && shape[0] == table.width) shape.insert(shape.begin(), 1);
  if (shape.size() >= 3 && shape.back() == table.width && shape.end()[-2] == 1 &&
      expected.rows != 1)
    shape.erase(shape.end() - 2);  // [position, 1, channel]
  const bool turned = expected.layout == "table-transposed";
  if (shape.size() >= 2 && shape.back() == table.width && !turned) {
    RowShape found{1, shape.end()[-2], false};
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) found.times *= shape[axis];
    if (found.rows > 0 && found.times > 0) return found;
  }
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() == 2 && shape[0] == table.width && shape[1] > 0) return {1, shape[1], true};
  throw UsageError(fmt::format("{} {} is no table of {} channels, [position, channel]", array.shown,
                               spell_array(array), table.width));
}

void set_bound(RowObservation& observation) {
  const auto& grid = observation.table.grid;
  const Index farthest =
      grid && !grid->extents.empty() ? *std::ranges::max_element(grid->extents) : observation.end;
  const Expectation& expected = *observation.expected;
  Drift drift = expected.encoding->drift(expected.parameters, expected.effect,
                                         {1, static_cast<double>(farthest)});
  observation.relative = drift.relative[0];
  observation.absolute = drift.absolute[0];
  observation.derivation = std::move(drift.derivation);
}

// Numbers that a solver carried from row to row in the dump's own arithmetic, float32 where that is
// shorter: programs have no other where the table is float32.
double carried_by_row(const RowObservation& observation) {
  const auto& solving = observation.table.solving;
  if (!solving) return 0;
  return solving->roundings * (observation.dtype == DType::f64 ? 0x1p-53 : 0x1p-24) +
         solving->tolerance;
}

void add_probe(RowObservation& observation, const Stored& array, Index row) {
  RowObservation::Probe probe{
      .row = row % observation.rows,
      .got = std::vector<double>(static_cast<std::size_t>(observation.width))};
  array.read(row * observation.width, observation.width, probe.got.data());
  observation.probes.push_back(std::move(probe));
}

std::string key_of(std::span<const double> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
}

// Which row of the table meant each row of the dump is, to a third of its length, where most rows
// equal none: those that were rounded are nearer to their own than to any other.
void match_nearest(RowObservation& observation, const Stored& array) {
  constexpr double near = 0.3;
  constexpr Index most_pairs = Index{1} << 26;  // of rows of both
  const Index positions = observation.end - observation.begin, width = observation.width;
  if (2 * std::ranges::count(observation.implied, -1) < observation.rows ||
      positions * width > Index{1} << 24 || observation.rows > most_pairs / positions)
    return;
  std::vector<double> table(static_cast<std::size_t>(positions * width)),
      row(static_cast<std::size_t>(width));
  observation.table.fill({observation.begin, 1, positions, 0}, DType::f64,
                         reinterpret_cast<std::byte*>(table.data()));
  const auto length_of = [&](const double* from) {
    return std::sqrt(std::inner_product(from, from + width, from, 0.0));
  };
  std::vector<std::pair<double, std::int64_t>> lengths;
  for (Index i = 0; i < positions; ++i)
    lengths.emplace_back(length_of(table.data() + i * width), observation.begin + i);
  std::ranges::sort(lengths);
  for (Index i = 0; i < observation.rows; ++i) {
    std::int64_t& implied = observation.implied[static_cast<std::size_t>(i)];
    if (implied != -1) continue;
    array.read(i * width, width, row.data());
    const double length = length_of(row.data());
    double least = near * near * length * length;
    for (auto at = std::ranges::lower_bound(lengths, std::pair{(1 - near) * length, INT64_MIN});
         at != lengths.end() && at->first <= (1 + near) * length; ++at) {
      const double* meant = table.data() + (at->second - observation.begin) * width;
      double left = least;
      for (Index k = 0; k < width && left >= 0; ++k)
        left -= (row[static_cast<std::size_t>(k)] - meant[k]) *
                (row[static_cast<std::size_t>(k)] - meant[k]);
      if (left < 0) continue;
      least -= left;
      implied = at->second;
    }
  }
}

// Which row of the table meant each row of the dump equals, both in the dump's type: nearest to its
// own place where several do.
void match(RowObservation& observation, const Stored& array) {
  if (observation.rows > most_matched || observation.end - observation.begin > most_matched) return;
  const auto width = static_cast<std::size_t>(observation.width);
  std::vector<double> row(width), rounded(width);
  std::unordered_map<std::size_t, std::int64_t> places;
  const std::hash<std::string> hash;
  const auto plain = [](std::vector<double>& values) {
    for (double& value : values) value += 0.0;  // −0 is 0
  };
  for (std::int64_t position = observation.begin; position < observation.end; ++position) {
    observation.table.fill({position, 1, 1, 0}, DType::f64,
                           reinterpret_cast<std::byte*>(row.data()));
    round_to(observation.dtype, row, rounded.data());
    plain(rounded);
    places.emplace(hash(key_of(rounded)), position);
  }
  for (Index i = 0; i < observation.rows; ++i) {
    array.read(i * observation.width, observation.width, row.data());
    plain(row);
    const auto found = places.find(hash(key_of(row)));
    const bool zeros = std::ranges::all_of(row, [](double value) { return value == 0; });
    observation.implied.push_back(zeros ? -2 : found == places.end() ? -1 : found->second);
  }
  match_nearest(observation, array);
}

Tally pass(const RowObservation& observation, const Stored& array,
           const RowHypothesis& hypothesis) {
  Tally residuals(observation.dtype);
  const auto width = static_cast<std::size_t>(observation.width);
  const Index block = std::clamp<Index>((Index{1} << 18) / observation.width, 1, observation.rows);
  std::vector<double> got(static_cast<std::size_t>(block) * width), truth(width), rounded(width),
      bound(width);
  for (Index time = 0; time < observation.times; ++time)
    for (Index first = 0; first < observation.rows; first += block) {
      const Index rows = std::min(block, observation.rows - first);
      array.read((time * observation.rows + first) * observation.width, rows * observation.width,
                 got.data());
      for (Index row = 0; row < rows; ++row) {
        if (!observation.evaluate(hypothesis, first + row, truth.data())) continue;
        round_to(observation.dtype, truth, rounded.data());
        const Index at = time * observation.rows + first + row;
        observation.allow(hypothesis, truth, at, bound.data());
        residuals.add(
            {got.data() + static_cast<std::size_t>(row) * width, truth.data(), rounded.data(),
             bound.data(), observation.width, observation.first + first + row, 0},
            time * observation.rows + first + row);
      }
    }
  return residuals;
}

// The hypotheses that every row agrees with. Rows that refute those of the probes become probes, as
// long as that finds others.
std::vector<Explanation<RowObservation>> explained(RowObservation& observation, const Stored& array,
                                                   const RowHypothesis& meant) {
  constexpr int rounds = 6;
  for (int round = 0; round < rounds; ++round) {
    auto found = explain<RowObservation>(observation, meant, row_proposers());
    const bool any = !found.empty();
    std::erase_if(found, [&](const auto& one) {
      const Tally whole = pass(observation, array, one.hypothesis);
      if (whole.agrees()) return false;
      if (whole.first_wrong()) add_probe(observation, array, whole.first_wrong()->run);
      if (whole.worst_spot()) add_probe(observation, array, whole.worst_spot()->run);
      return true;
    });
    if (!found.empty() || !any) return found;
  }
  return {};
}

}  // namespace

RowDump row_dump(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"pe", "position", "embed", "table", "wpe"};
  const Stored& given = only_array(expected, dump, names);
  const Table& table = std::get<Table>(expected.effect);
  const RowShape shape = shape_of(expected, table, given);
  const Stored plain = given.u16 ? as_bf16(given) : given;
  const Stored array = shape.transposed ? transposed(plain, shape.rows, table.width) : plain;

  RowObservation observation{.expected = &expected,
                             .table = table,
                             .dtype = array.dtype,
                             .rows = shape.rows,
                             .width = table.width,
                             .times = shape.times,
                             .first = expected.first,
                             .begin = 0,
                             .end = 0,
                             .derivation = {},
                             .coarse = dump.coarse,
                             .probes = {},
                             .implied = {}};
  observation.begin = table.rows ? 0 : expected.first - 8;
  observation.end = table.rows ? *table.rows : expected.first + shape.rows + 8;
  if (observation.end > most_matched) {  // of a recursion, which has as many as anybody asks for
    observation.begin = std::max<std::int64_t>(0, expected.first - 8);
    observation.end = std::min(observation.end, expected.first + shape.rows + 8);
  }
  set_bound(observation);
  return {std::move(observation), given, array, shape.transposed};
}

Diagnosis diagnose_rows(const Expectation& expected, const Dump& dump) {
  RowDump rows = row_dump(expected, dump);
  RowObservation& observation = rows.observation;
  const Stored& array = rows.array;
  const Table& table = observation.table;
  constexpr Index some = 24;
  for (Index i = 0; i < std::min(observation.rows, some); ++i)
    add_probe(observation, array,
              observation.rows <= some ? i : i * (observation.rows - 1) / (some - 1));

  Diagnosis diagnosis;
  diagnosis.what = fmt::format("table of {} rows and {} channels {}", observation.rows, table.width,
                               spell_array(rows.given));
  diagnosis.layout = rows.transposed ? "table-transposed" : "table";
  diagnosis.bound_from = observation.derivation;
  const auto place = [&](const Spot& spot) {
    return fmt::format("position {}, channel {}", observation.first + spot.run % observation.rows,
                       spot.index);
  };
  const RowHypothesis meant;
  Tally first = pass(observation, array, meant);
  // In numbers of 16 bits it shows beside zero alone.
  if (!first.agrees() &&
      (!is_few(first) || observation.dtype == DType::f16 || observation.dtype == DType::bf16)) {
    observation.by_row = carried_by_row(observation);
  }
  if (observation.by_row > 0) {
    first = pass(observation, array, meant);
    diagnosis.bound_from += fmt::format(
        "; {:.3g} of the largest number that meets a channel for each row before, which {:.0f} "
        "roundings to {} "
        "carry on",
        observation.by_row, table.solving->roundings,
        observation.dtype == DType::f64 ? "float64" : "float32");
  }
  first.tell(diagnosis, place);
  diagnosis.coverage = fmt::format("all {} cells", first.cells());
  const std::int64_t beyond = observation.first + observation.rows - observation.end;
  if (beyond > 0 && table.rows)
    diagnosis.notes.push_back(
        fmt::format("{} rows lie beyond the {} that the table has, and are not compared",
                    std::min(beyond, observation.rows), *table.rows));
  std::vector<Reason> of_shape;
  if (rows.transposed)
    of_shape.push_back(
        {Cause::transposed, fmt::format("positions and channels are swapped: [{}, {}]", table.width,
                                        observation.rows)});
  if (expected.rows && observation.rows < *expected.rows)
    of_shape.push_back({Cause::table_short, fmt::format("the table has {} rows, where {} must be",
                                                        observation.rows, *expected.rows)});

  if (first.agrees() && first.cells() > 0) {
    diagnosis.tier = first.exact() ? Tier::exact : Tier::drift;
  } else {
    match(observation, array);
    // More rows than show that something is wrong: a factor is read off many cells.
    const Index more = std::clamp<Index>(200'000 / observation.width, some, 256);
    for (Index i = 0; i < more && observation.rows > some; ++i)
      add_probe(observation, array, i * (observation.rows - 1) / (more - 1));
    if (first.first_wrong()) add_probe(observation, array, first.first_wrong()->run);
    if (first.worst_spot()) add_probe(observation, array, first.worst_spot()->run);
    std::ranges::stable_sort(observation.probes, {}, &RowObservation::Probe::row);
    diagnosis.before = diagnosis.after = observation.measure(meant).residual;
    const auto found = explained(observation, array, meant);
    if (!found.empty()) tell(found, diagnosis);
    blame_numbers(diagnosis);
    if (diagnosis.reasons.empty() && diagnosis.tier == Tier::wrong && first.first_wrong() &&
        is_few(first))
      diagnosis.reasons.push_back(
          {Cause::damaged_cells, fmt::format("{} of {} cells, the first at {}", first.beyond(),
                                             first.cells(), place(*first.first_wrong()))});
    if (diagnosis.reasons.empty() && diagnosis.tier == Tier::wrong && table.rows)
      if (auto reason = another_table(observation)) diagnosis.reasons.push_back(std::move(*reason));
  }
  const bool unexplained = diagnosis.tier == Tier::wrong && diagnosis.reasons.empty();
  if (!of_shape.empty() && !unexplained) {
    diagnosis.reasons.insert(diagnosis.reasons.begin(), of_shape.begin(), of_shape.end());
    diagnosis.tier = Tier::wrong;
  }
  diagnosis.arithmetic = diagnosis.tier == Tier::exact ? "correctly rounded"
                         : diagnosis.tier == Tier::drift && observation.by_row > 0
                             ? "every step of the solver rounded"
                         : diagnosis.tier == Tier::drift ? "float32, of no known codebase"
                                                         : "";
  return diagnosis;
}

std::optional<Reason> row_stripes(const Expectation& expected, const Dump& dump) {
  RowDump rows = row_dump(expected, dump);
  RowObservation& observation = rows.observation;
  observation.by_row = carried_by_row(observation);
  const Stored& array = rows.array;
  StripeTally stripes(
      {{"table", "tables", observation.times, 0, Cause::rows_zero},
       {"position", "positions", observation.rows, observation.first, Cause::rows_zero},
       {"channel", "channels", observation.width, 0, Cause::channels_zero}},
      {Cause::wrong_amplitude, Cause::wrong_amplitude, Cause::damaged_cells});
  std::vector<double> got(static_cast<std::size_t>(observation.width)), truth(got), bound(got);
  for (Index row = 0; row < observation.times * observation.rows; ++row) {
    const Index place = row % observation.rows;
    if (!observation.evaluate({}, place, truth.data())) continue;
    array.read(row * observation.width, observation.width, got.data());
    observation.allow({}, truth, row, bound.data());
    for (Index k = 0; k < observation.width; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (!stripes.add(std::array{row / observation.rows, place, k}, got[at], truth[at], bound[at]))
        return {};
    }
  }
  return stripes.reason();
}

}  // namespace pe
