// Turns as rotations and tables of sinusoids hold them: of pairs, or of two columns each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"
#include "pe/properties/steady.hpp"

namespace pe::laws {
namespace {

using Turn = std::complex<double>;

using Columns = std::vector<std::array<Index, 2>>;

// Reads two columns as the parts of a turn.
SeenTurns of_columns(Table&&, const Case&, const PositionRange&, Columns) = delete;  // read later
SeenTurns of_columns(const Table& table, const Case& subject, const PositionRange& positions,
                     Columns columns) {
  SeenTurns turns;
  turns.rows = positions.count;
  turns.pairs = columns.size();
  turns.columns = columns;
  turns.coordinate = [positions](Index row, std::size_t) { return positions.value(row); };
  turns.read = [&table, positions, columns = std::move(columns), dtype = subject.dtype](
                   Index first, Index count, Turn* out) {
    const std::vector<double> rows = rows_of(table, positions.slice(first, count), dtype);
    for (Index i = 0; i < count; ++i)
      for (const auto& [real, imaginary] : columns)
        *out++ = {rows[static_cast<std::size_t>(i * table.width + real)],
                  rows[static_cast<std::size_t>(i * table.width + imaginary)]};
  };
  return turns;
}

SeenTurns of_parts(const Table& table, const Case& subject, const PositionRange& positions) {
  Columns columns;
  std::vector<double> frequencies;
  std::vector<std::size_t> axes;
  std::vector<PositionRange> maps(table.grid->axes.size(), PositionRange{0, 1, 1, 0});
  for (const WavePart& part : table.parts) {
    maps[part.axis] = part.map;
    for (Index j = 0; j < part.waves.pairs(); ++j) {
      columns.push_back({part.layout.cosine->offset + j * part.layout.cosine->step,
                         part.layout.sine->offset + j * part.layout.sine->step});
      frequencies.push_back(to_double(part.waves.frequencies()[static_cast<std::size_t>(j)]));
      axes.push_back(part.axis);
    }
  }
  SeenTurns turns = of_columns(table, subject, positions, std::move(columns));
  turns.in_steps_of_one = false;
  turns.nominal = std::move(frequencies);
  turns.coordinate = [at = table.grid->at, maps, axes, positions](Index row, std::size_t j) {
    return maps[axes[j]].value(at(positions.at(row), axes[j]));
  };
  return turns;
}

// The ways that a table's columns may stand in pairs.
std::vector<SeenTurns> pairings(const Table& table, const Case& subject) {
  const PositionRange positions = existing(table, subject.positions);
  std::vector<SeenTurns> ways;
  if (table.grid) {
    const bool both =
        !table.parts.empty() && std::ranges::all_of(table.parts, [&](const WavePart& part) {
          return part.layout.cosine && part.layout.sine && part.axis < table.grid->axes.size();
        });
    if (both) ways.push_back(of_parts(table, subject, positions));
    return ways;
  }
  if (positions.step != 1 || positions.decimals != 0) return ways;
  const Index n = table.width / 2;
  for (const bool halves : {false, true}) {
    Columns columns;
    for (Index j = 0; j < n; ++j)
      columns.push_back(halves ? std::array{j, j + n} : std::array{2 * j, 2 * j + 1});
    ways.push_back(of_columns(table, subject, positions, std::move(columns)));
  }
  return ways;
}

}  // namespace

SeenTurns turns_seen(const Rotation& rotation, const Case& subject) {
  const PositionRange positions = subject.positions;
  SeenTurns turns;
  turns.rows = positions.count;
  turns.pairs = static_cast<std::size_t>(rotation.pairs);
  turns.amplitude = subject.foreign->amplitude;
  for (const Real& frequency : rotation.waves->frequencies())
    turns.nominal.push_back(to_double(frequency));
  turns.read = [&rotation, positions, dtype = subject.dtype](Index first, Index count, Turn* out) {
    std::ranges::copy(turns_of(rotation, positions.slice(first, count), dtype), out);
  };
  turns.in_steps_of_one = !rotation.coordinates && positions.step == 1;
  turns.coordinate = [positions](Index row, std::size_t) { return positions.value(row); };
  if (!rotation.coordinates) return turns;
  std::vector<PositionRange> maps(rotation.coordinates->axes.size(), PositionRange{0, 1, 1, 0});
  for (const WavePart& part : rotation.parts) maps[part.axis] = part.map;
  turns.coordinate = [at = rotation.coordinates->at, maps, axes = axes_of(rotation), positions](
                         Index row, std::size_t j) {
    return maps[axes[j]].value(at(positions.at(row), axes[j]));
  };
  return turns;
}

Table columns_of(const Table& table, const std::vector<Index>& columns) {
  Table part = table;
  part.width = std::ssize(columns);
  part.waves.reset();
  part.parts.clear();
  part.fill = [fill = table.fill, width = table.width, columns](const PositionRange& positions,
                                                                DType dtype, std::byte* out) {
    const std::size_t size = size_of(dtype);
    std::vector<std::byte> rows(static_cast<std::size_t>(positions.count * width) * size);
    fill(positions, dtype, rows.data());
    for (Index i = 0; i < positions.count; ++i)
      for (const Index column : columns) {
        std::memcpy(out, &rows[static_cast<std::size_t>(i * width + column) * size], size);
        out += size;
      }
  };
  return part;
}

namespace {

using Fitter = SteadyFit (*)(const SeenTurns&, const Case&);

constexpr Index most_matched = 128, rows_matched = 128;

void keep_steady(SteadyTable& table, const SeenTurns& turns, const SteadyFit& fit) {
  table.fit.bound_from = fit.bound_from;
  for (std::size_t j = 0; j < fit.pairs.size(); ++j) {
    SteadyPair pair = fit.pairs[j];
    if (2 * pair.outside > turns.rows) continue;
    pair.worst.pair = table.turns.columns.size();
    table.fit.pairs.push_back(std::move(pair));
    table.turns.columns.push_back(turns.columns[j]);
    for (const Index column : turns.columns[j]) std::erase(table.rest, column);
  }
}

// Columns that stand in no usual pair, each with the partner that it turns most steadily with over
// the first rows.
Columns matched(const Table& table, const Case& subject, const PositionRange& positions,
                std::vector<Index> rest, Fitter fitter) {
  Columns every, chosen;
  if (std::ssize(rest) > most_matched) return chosen;
  for (std::size_t a = 0; a < rest.size(); ++a)
    for (std::size_t b = a + 1; b < rest.size(); ++b) every.push_back({rest[a], rest[b]});
  if (every.empty()) return chosen;
  const PositionRange head = positions.slice(0, std::min(positions.count, rows_matched));
  const SteadyFit fit = fitter(of_columns(table, subject, head, every), subject);
  std::vector<std::size_t> order(every.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t j) { return fit.pairs[j].share; });
  for (const std::size_t j : order) {
    const auto [a, b] = every[j];
    if (10 * fit.pairs[j].outside > head.count || std::ranges::find(rest, a) == rest.end() ||
        std::ranges::find(rest, b) == rest.end())
      continue;
    chosen.push_back({a, b});
    std::erase(rest, a);
    std::erase(rest, b);
  }
  return chosen;
}

// A pair that is steady in most rows is held to that in all; of another the columns are left, for
// what they obey they may obey with other columns.
SteadyTable fitted_table(const Table& table, const Case& subject, Fitter fitter) {
  std::optional<std::pair<SeenTurns, SteadyFit>> best;
  for (SeenTurns& turns : pairings(table, subject)) {
    if (turns.rows < 3 || turns.pairs == 0) continue;
    SteadyFit fit = fitter(turns, subject);
    if (best && best->second.outside() <= fit.outside()) continue;
    best = {std::move(turns), std::move(fit)};
    if (best->second.outside() * 10 < best->first.rows * std::ssize(best->second.pairs)) break;
  }
  SteadyTable result;
  result.rest.resize(static_cast<std::size_t>(table.width));
  std::iota(result.rest.begin(), result.rest.end(), Index{0});
  if (!best) return result;
  result.turns = best->first;
  result.turns.columns.clear();
  keep_steady(result, best->first, best->second);
  if (result.rest.size() < 2 || table.grid) return result;
  const PositionRange positions = existing(table, subject.positions);
  const Columns partners = matched(table, subject, positions, result.rest, fitter);
  if (partners.empty()) return result;
  const SeenTurns again = of_columns(table, subject, positions, partners);
  keep_steady(result, again, fitter(again, subject));
  return result;
}

}  // namespace

SteadyTable steady_table(const Table& table, const Case& subject) {
  SteadyTable steady = fitted_table(table, subject, [](const SeenTurns& turns, const Case& of) {
    return fit_steady(turns, of, false);
  });
  steady.off_from = "from where a steady turn is";
  return steady;
}

SteadyTable round_table(const Table& table, const Case& subject) {
  SteadyTable round = fitted_table(table, subject, fit_round);
  round.off_from = "from the sum of squares that its pair has";
  return round;
}

}  // namespace pe::laws
