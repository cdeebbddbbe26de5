// The diagnosis of a table of rows: every row against the one meant, and the smallest cause where
// rows are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "pe/base/error.hpp"
#include "pe/diagnosis/bias.hpp"
#include "pe/diagnosis/row_world.hpp"
#include "pe/diagnosis/score_tally.hpp"

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
  if (shape.size() >= 3 && shape.back() == table.width && shape.end()[-2] == 1)
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

// The dump with its two axes swapped.
Stored turned(const Stored& array, Index rows, Index width) {
  Stored other = array;
  other.shape = {rows, width};
  other.fill = [fill = array.fill, rows, width, size = size_of(array.dtype)](
                   Index first, Index count, std::byte* out) {
    // Rows of the turned table are columns of the file: a block of them is gathered from one read
    // for each channel.
    const Index from = first / width, until = (first + count - 1) / width;
    std::vector<std::byte> line(static_cast<std::size_t>(until - from + 1) * size);
    for (Index column = 0; column < width; ++column) {
      fill(column * rows + from, until - from + 1, line.data());
      for (Index row = from; row <= until; ++row) {
        const Index at = row * width + column - first;
        if (at >= 0 && at < count)
          std::memcpy(out + static_cast<std::size_t>(at) * size,
                      line.data() + static_cast<std::size_t>(row - from) * size, size);
      }
    }
  };
  return other;
}

double largest_of(const RowWorld& world) {
  double largest = 0;
  std::vector<double> row(static_cast<std::size_t>(world.table.width));
  const std::int64_t count = world.end - world.begin;
  for (Index i = 0; i < std::min<Index>(count, 256); ++i) {
    world.table.fill({world.begin + (count <= 256 ? i : i * (count / 256)), 1, 1, 0}, DType::f64,
                     reinterpret_cast<std::byte*>(row.data()));
    for (const double value : row) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

void set_bound(RowWorld& world) {
  constexpr double u = 0x1p-24;
  const std::string_view name = world.expected->encoding->name;
  const std::string claim = claim_of(*world.expected->encoding, "pe");
  world.relative = u;  // of a value that went through float32, as text or by a store
  if (name == "learned" && world.expected->parameters.choice("extend") != "none") {
    // 4 x 4 taps whose weights sum to at most 2.25 in magnitude: (16 + 8) roundings of terms of
    // that size.
    world.absolute = 24 * 2.25 * u * largest_of(world);
    world.derivation =
        "54·2^-24 of the largest value probed: sums of up to 16 taps in float32; and one rounding "
        "to the dump's type";
  } else if (name == "normalized-index") {
    world.relative = 2 * u;
    world.derivation =
        "2·2^-24 of the value: a division in float32; and one rounding to the dump's type";
  } else if (world.table.grid) {
    const std::vector<Index>& extents = world.table.grid->extents;
    const Index farthest = extents.empty() ? world.end : *std::ranges::max_element(extents);
    world.absolute = 10 * u * (1 + static_cast<double>(farthest));
    world.derivation = "10·2^-24·(1 + the largest coordinate): float32 frequencies and angles";
  } else if (claim.starts_with("absolute:")) {
    world.absolute = std::strtod(claim.c_str() + 9, nullptr);
    world.derivation =
        "what the encoding itself claims, " + claim + "; and one rounding to the dump's type";
  } else {
    world.derivation = "one rounding to float32 and one to the dump's type";
  }
}

void add_probe(RowWorld& world, const Stored& array, Index row) {
  RowWorld::Probe probe{.row = row % world.rows,
                        .got = std::vector<double>(static_cast<std::size_t>(world.width))};
  array.read(row * world.width, world.width, probe.got.data());
  world.probes.push_back(std::move(probe));
}

std::string key_of(std::span<const double> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
}

// Which row of the table meant each row of the dump equals, both in the dump's type: nearest to its
// own place where several do.
void match(RowWorld& world, const Stored& array) {
  if (world.rows > most_matched || world.end - world.begin > most_matched) return;
  const auto width = static_cast<std::size_t>(world.width);
  std::vector<double> row(width), rounded(width);
  std::unordered_map<std::size_t, std::int64_t> places;
  const std::hash<std::string> hash;
  const auto plain = [](std::vector<double>& values) {
    for (double& value : values) value += 0.0;  // −0 is 0
  };
  for (std::int64_t position = world.begin; position < world.end; ++position) {
    world.table.fill({position, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(row.data()));
    round_to(world.dtype, row, rounded.data());
    plain(rounded);
    places.emplace(hash(key_of(rounded)), position);
  }
  for (Index i = 0; i < world.rows; ++i) {
    array.read(i * world.width, world.width, row.data());
    plain(row);
    const auto found = places.find(hash(key_of(row)));
    const bool zeros = std::ranges::all_of(row, [](double value) { return value == 0; });
    world.implied.push_back(zeros ? -2 : found == places.end() ? -1 : found->second);
  }
}

Tally pass(const RowWorld& world, const Stored& array, const RowStory& story) {
  Tally tally(world.dtype);
  const auto width = static_cast<std::size_t>(world.width);
  const Index block = std::clamp<Index>((Index{1} << 18) / world.width, 1, world.rows);
  std::vector<double> got(static_cast<std::size_t>(block) * width), truth(width), rounded(width),
      bound(width);
  for (Index time = 0; time < world.times; ++time)
    for (Index first = 0; first < world.rows; first += block) {
      const Index rows = std::min(block, world.rows - first);
      array.read((time * world.rows + first) * world.width, rows * world.width, got.data());
      for (Index row = 0; row < rows; ++row) {
        if (!world.evaluate(story, first + row, truth.data())) continue;
        round_to(world.dtype, truth, rounded.data());
        std::ranges::transform(truth, bound.begin(),
                               [&](double value) { return world.allowed(story, value); });
        tally.add({got.data() + static_cast<std::size_t>(row) * width, truth.data(), rounded.data(),
                   bound.data(), world.width, world.first + first + row, 0},
                  time * world.rows + first + row);
      }
    }
  return tally;
}

}  // namespace

std::vector<CauseRow> row_causes() {
  std::vector<CauseRow> rows;
  for (const Cause<RowWorld>& cause : row_world_causes()) rows.push_back(cause.row);
  rows.push_back({"table-short", "the table has fewer rows than there must be", "rows"});
  rows.push_back(
      {"not-finite", "NaN or an infinity stands where a number should", "rows bias buckets"});
  return rows;
}

RowDump row_dump(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"pe", "position", "embed", "table", "wpe"};
  const Stored& given = only_array(expected, dump, names);
  const Table& table = std::get<Table>(expected.effect);
  const RowShape shape = shape_of(expected, table, given);
  const Stored plain = given.u16 ? as_bf16(given) : given;
  const Stored array = shape.transposed ? turned(plain, shape.rows, table.width) : plain;

  RowWorld world{.expected = &expected,
                 .table = table,
                 .dtype = array.dtype,
                 .rows = shape.rows,
                 .width = table.width,
                 .times = shape.times,
                 .first = expected.first,
                 .begin = 0,
                 .end = 0,
                 .derivation = {},
                 .probes = {},
                 .implied = {}};
  world.begin = table.rows ? 0 : expected.first - 8;
  world.end = table.rows ? *table.rows : expected.first + shape.rows + 8;
  set_bound(world);
  return {std::move(world), given, array, shape.transposed};
}

Diagnosis diagnose_rows(const Expectation& expected, const Dump& dump) {
  RowDump rows = row_dump(expected, dump);
  RowWorld& world = rows.world;
  const Stored& array = rows.array;
  const Table& table = world.table;
  constexpr Index some = 24;
  for (Index i = 0; i < std::min(world.rows, some); ++i)
    add_probe(world, array, world.rows <= some ? i : i * (world.rows - 1) / (some - 1));

  Diagnosis diagnosis;
  diagnosis.what = fmt::format("table of {} rows and {} channels {}", world.rows, table.width,
                               spell_array(rows.given));
  diagnosis.layout = rows.transposed ? "table-transposed" : "table";
  diagnosis.bound_from = world.derivation;
  const auto place = [&](const Spot& spot) {
    return fmt::format("position {}, channel {}", world.first + spot.run % world.rows, spot.index);
  };
  const RowStory meant;
  const Tally first = pass(world, array, meant);
  first.tell(diagnosis, place);
  diagnosis.coverage = fmt::format("all {} cells", first.cells());
  const std::int64_t beyond = world.first + world.rows - world.end;
  if (beyond > 0 && table.rows)
    diagnosis.notes.push_back(
        fmt::format("{} rows lie beyond the {} that the table has, and are not compared",
                    std::min(beyond, world.rows), *table.rows));
  std::vector<Reason> of_shape;
  if (rows.transposed)
    of_shape.push_back({"transposed", fmt::format("positions and channels are swapped: [{}, {}]",
                                                  table.width, world.rows)});
  if (expected.rows && world.rows < *expected.rows)
    of_shape.push_back({"table-short", fmt::format("the table has {} rows, where {} must be",
                                                   world.rows, *expected.rows)});

  if (first.agrees() && first.cells() > 0) {
    diagnosis.tier = first.exact() ? Tier::exact : Tier::drift;
  } else {
    match(world, array);
    if (first.first_wrong()) add_probe(world, array, first.first_wrong()->run);
    if (first.worst_spot()) add_probe(world, array, first.worst_spot()->run);
    std::ranges::stable_sort(world.probes, {}, &RowWorld::Probe::row);
    diagnosis.before = diagnosis.after = world.measure(meant).residual;
    auto found = explain<RowWorld>(world, meant, row_world_causes());
    std::erase_if(found, [&](const auto& one) { return !pass(world, array, one.story).agrees(); });
    if (!found.empty()) tell(found, diagnosis);
    blame_numbers(diagnosis);
  }
  const bool unexplained = diagnosis.tier == Tier::wrong && diagnosis.reasons.empty();
  if (!of_shape.empty() && !unexplained) {
    diagnosis.reasons.insert(diagnosis.reasons.begin(), of_shape.begin(), of_shape.end());
    diagnosis.tier = Tier::wrong;
  }
  diagnosis.arithmetic = diagnosis.tier == Tier::exact   ? "correctly rounded"
                         : diagnosis.tier == Tier::drift ? "float32, of no known codebase"
                                                         : "";
  return diagnosis;
}

}  // namespace pe
