// Products of rows by lag.
#include "pe/analyze/lags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/properties/laws.hpp"

namespace pe {
namespace {

constexpr double most_values = 0x1p27;  // numbers held: 1 GiB

void choose_axis(Rows& rows, const Table& table, const Question& question) {
  rows.extent = rows.positions.count;
  const bool named = question.options.has("axis");
  if (!table.grid || table.grid->extents.empty()) {
    if (named)
      throw UsageError(fmt::format("--axis {} has no meaning here: positions stand on a line",
                                   question.options.choice("axis")));
    return;
  }
  const Coordinates& grid = *table.grid;
  rows.axis = named ? question.options.choice("axis") : grid.axes.front();
  if (!named) question.decide("axis", rows.axis);
  const auto found = std::ranges::find(grid.axes, rows.axis);
  if (found == grid.axes.end())
    throw UsageError(
        fmt::format("--axis must be one of {}, got {}", fmt::join(grid.axes, ", "), rows.axis));
  if (rows.positions.first != 0 || rows.positions.count != *grid.count)
    throw UsageError("lags along an axis are of the whole grid: leave out --positions");
  const auto axis = static_cast<std::size_t>(found - grid.axes.begin());
  rows.extent = grid.extents[axis];
  for (std::size_t inner = axis + 1; inner < grid.extents.size(); ++inner)
    rows.stride *= grid.extents[inner];
}

// Rows of doubles that are sines and cosines of the same waves and nothing else; what a shorter
// type stores differs from row to row.
bool are_turns(const Question& question) {
  const Effect& effect = question.subject.effect;
  if (question.of_file || question.subject.dtype != DType::f64) return false;
  if (const Rotation* rotation = std::get_if<Rotation>(&effect))
    return rotation->waves && !rotation->coordinates && rotation->parts.empty();
  const Table& table = std::get<Table>(effect);
  return table.waves && !table.grid && table.waves->second.sine && table.waves->second.cosine &&
         table.width == 2 * table.waves->first.pairs();
}

// Calls visit(i, j) for all positions that are a lag apart along the axis.
template <typename Visit>
void for_pairs(const Rows& rows, Index lag, Visit visit) {
  for (Index i = 0; i + lag * rows.stride < rows.positions.count; ++i)
    if (i / rows.stride % rows.extent + lag < rows.extent) visit(i, i + lag * rows.stride);
}

// In blocks, which show how far it is and hold little beside the rows.
void fill(Rows& rows, const Table& table, const Question& question) {
  const PositionRange& all = rows.positions;
  begin_rows(question, std::max(all.value(0), all.value(all.count - 1)));
  rows.values.reserve(static_cast<std::size_t>(all.count * rows.width));
  laws::for_blocks(all, rows.width, [&](Index first, const PositionRange& block) {
    question.advance(static_cast<double>(first) / static_cast<double>(all.count));
    const std::vector<double> values = laws::rows_of(table, block, question.subject.dtype);
    rows.values.insert(rows.values.end(), values.begin(), values.end());
  });
}

struct Gathered {
  Sum sum;
  double least = HUGE_VAL, most = -HUGE_VAL;
  Index count = 0;

  void add(double value) {
    if (std::isnan(value)) return;
    sum.add(value);
    least = std::min(least, value);
    most = std::max(most, value);
    ++count;
  }
  double mean() const { return sum.value() / static_cast<double>(count); }
};

void keep(LagStatistics& statistics, std::size_t at, const std::vector<double>& values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Gathered gathered;
  for (const double value : values) gathered.add(value);
  const double mean = gathered.mean();
  Sum squares;
  for (const double value : values)
    if (!std::isnan(value)) squares.add((value - mean) * (value - mean));
  const bool any = gathered.count != 0;
  statistics.mean[at] = any ? mean : none;
  statistics.least[at] = any ? gathered.least : none;
  statistics.most[at] = any ? gathered.most : none;
  statistics.deviation[at] =
      any ? std::sqrt(squares.value() / static_cast<double>(gathered.count)) : none;
}

}  // namespace

// A product of rows whose entries are off by e is off by 2e·√d·N + d·e², N the largest norm
// (Cauchy-Schwarz); the arithmetic adds (d/8 + 6)·2^-53·N² (curve.hpp), and a mean over them
// roundings of its own.
double Rows::product_error() const {
  const auto d = static_cast<double>(width);
  return 2 * entry * std::sqrt(d) * norm + d * entry * entry + (d / 8 + 8) * 0x1p-53 * norm * norm;
}

// The same over the norms, each of which is off in the same way: of the smallest norm that a row
// with a direction has.
double Rows::cosine_error() const {
  double least = norm;
  for (const double length : norms)
    if (length > 0) least = std::min(least, length);
  const auto d = static_cast<double>(width);
  const double off = least > 0 ? entry * std::sqrt(d) / least : 0;
  return 4 * off + 2 * off * off + (d / 4 + 16) * 0x1p-53;
}

Table as_table(const Effect& effect) {
  if (const Table* table = std::get_if<Table>(&effect)) return *table;
  const Rotation& rotation = std::get<Rotation>(effect);
  Table table;
  table.width = 2 * rotation.pairs;
  table.grid = rotation.coordinates;
  table.fill = [rotation](const PositionRange& positions, DType dtype, std::byte* out) {
    const std::size_t row = static_cast<std::size_t>(rotation.pairs) * size_of(dtype),
                      count = static_cast<std::size_t>(positions.count);
    std::vector<std::byte> cosine(count * row), sine(count * row);
    rotation.fill(positions, dtype, cosine.data(), sine.data());
    for (std::size_t i = 0; i < count; ++i, out += 2 * row) {
      std::memcpy(out, cosine.data() + i * row, row);
      std::memcpy(out + row, sine.data() + i * row, row);
    }
  };
  return table;
}

Rows rows_in_memory(const Question& question, const std::string& asker,
                    const std::function<void(const Rows&)>& before) {
  const Table table = as_table(question.subject.effect);
  Rows rows{.positions = laws::existing(table, question.subject.span.positions),
            .width = table.width};
  if (rows.positions.count == 0)
    throw UsageError(fmt::format("{} has no row to look at: the table has {}, --positions {}",
                                 asker, table.rows.value_or(0),
                                 pe::spell(question.subject.span.positions)));
  if (rows.positions.decimals != 0 && table.rows)
    throw UsageError("--positions must be whole numbers: they count rows");
  const double size = static_cast<double>(rows.positions.count) * static_cast<double>(table.width);
  if (size > most_values)
    throw UsageError(
        fmt::format("{} holds all rows: {} of {} channels are more than 1 GiB; give --length {} or "
                    "less",
                    asker, rows.positions.count, table.width,
                    static_cast<Index>(most_values / static_cast<double>(table.width))));
  choose_axis(rows, table, question);
  rows.turns = are_turns(question);
  if (before) before(rows);
  fill(rows, table, question);
  double largest = 0;
  for (Index i = 0; i < rows.positions.count; ++i) {
    const double square = dot(rows.row(i), rows.row(i), rows.width);
    if (!std::isfinite(square))
      throw UsageError(
          fmt::format("the row at position {} holds numbers that are none, or too "
                      "large to multiply",
                      rows.positions.value(i)));
    rows.norms.push_back(std::sqrt(square));
    rows.norm = std::max(rows.norm, rows.norms.back());
  }
  for (const double value : rows.values) largest = std::max(largest, std::fabs(value));
  const bool turns = kind_of(question.subject.effect) == Kind::rotation;
  const Error error = error_of(question, turns ? "cos" : "pe");
  rows.entry = error.absolute + error.relative * largest;
  return rows;
}

void begin_lags(const Question& question, const Rows& rows, const std::vector<Index>& chosen) {
  double products = 0;
  for (const Index lag : chosen)
    products +=
        (rows.turns ? 2
                    : static_cast<double>(rows.positions.count) *
                          (1 - static_cast<double>(lag) / static_cast<double>(rows.extent))) *
        static_cast<double>(rows.width);
  begin({.what = fmt::format("{} lags over {} rows of {} channels", chosen.size(),
                             rows.positions.count, rows.width),
         .operations = products,
         .per_second = 3e9,
         .threads = threads_of(question),
         .other = "--points, such as 100, or fewer rows"});
}

namespace {

Lags room_for(std::size_t lags) {
  Lags room;
  for (LagStatistics* statistics : {&room.product, &room.cosine})
    for (auto* values :
         {&statistics->mean, &statistics->least, &statistics->most, &statistics->deviation})
      values->resize(lags);
  return room;
}

// Of rows that turn ⟨P(p), P(p+k)⟩ = A²·Σ cos(kθ_j) for every p: the outermost two of a lag say
// what all do, within the error of a product. None where they do not agree within it.
std::optional<Lags> lags_of_turns(const Question& question, const Rows& rows,
                                  const std::vector<Index>& chosen) {
  Lags lags = room_for(chosen.size());
  const double error = rows.product_error();
  std::atomic<bool> agree = true;
  in_parallel(question, static_cast<Index>(chosen.size()), [&](Index point) {
    const auto at = static_cast<std::size_t>(point);
    const auto [first, last] = rows.outermost(chosen[at]);
    const double product = dot(first[0], first[1], rows.width),
                 again = dot(last[0], last[1], rows.width),
                 norms = std::sqrt(dot(first[0], first[0], rows.width)) *
                         std::sqrt(dot(first[1], first[1], rows.width));
    if (!(std::fabs(product - again) <= 2 * error) || !(norms > 0)) agree = false;
    for (auto [statistics, value] :
         {std::pair(&lags.product, product), std::pair(&lags.cosine, product / norms)}) {
      statistics->mean[at] = statistics->least[at] = statistics->most[at] = value;
      statistics->deviation[at] = 0;
    }
  });
  if (!agree) return {};
  return lags;
}

}  // namespace

Lags lags_of(const Question& question, const Rows& rows, const std::vector<Index>& chosen) {
  if (rows.turns)
    if (auto lags = lags_of_turns(question, rows, chosen)) return *std::move(lags);
  Lags lags = room_for(chosen.size());
  in_parallel(question, static_cast<Index>(chosen.size()), [&](Index point) {
    const auto at = static_cast<std::size_t>(point);
    std::vector<double> values, cosines;
    for_pairs(rows, chosen[at], [&](Index i, Index j) {
      const double value = dot(rows.row(i), rows.row(j), rows.width),
                   norms = rows.norms[static_cast<std::size_t>(i)] *
                           rows.norms[static_cast<std::size_t>(j)];
      values.push_back(value);
      cosines.push_back(norms > 0 ? value / norms : std::numeric_limits<double>::quiet_NaN());
    });
    keep(lags.product, at, values);
    keep(lags.cosine, at, cosines);
  });
  return lags;
}

}  // namespace pe
