// Laws of tables: range, uniqueness, norms, products.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

#include "pe/base/clones.hpp"
#include "pe/base/kept.hpp"
#include "pe/properties/laws.hpp"
#include "pe/properties/steady.hpp"

namespace pe::laws {
namespace {

double largest_of(const Table& table, const Case& subject) {
  if (table.range) return std::max(std::fabs(table.range->first), std::fabs(table.range->second));
  double largest = 0;
  for_blocks(existing(table, subject.positions), table.width,
             [&](Index, const PositionRange& block) {
               for (const double value : rows_of(table, block, subject.dtype))
                 largest = std::max(largest, std::fabs(value));
             });
  return largest;
}

// Σ of(a[c], b[c]), in several chains of additions.
template <typename Of>
inline double sum_of(const double* a, const double* b, Index width, const Of& of) {
  constexpr Index lanes = 16;
  double sums[lanes] = {};
  Index c = 0;
  for (; c + lanes <= width; c += lanes)
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += of(a[c + lane], b[c + lane]);
  for (; c < width; ++c) sums[0] += of(a[c], b[c]);
  for (Index half = lanes / 2; half > 0; half /= 2)
    for (Index lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

PE_CLONES double dot(const double* a, const double* b, Index width) {
  return sum_of(a, b, width, [](double x, double y) { return x * y; });
}

PE_CLONES double square_apart(const double* a, const double* b, Index width) {
  return sum_of(a, b, width, [](double x, double y) { return (x - y) * (x - y); });
}

bool pairs_are_cheap(const Table& table, const Case& subject) {
  const auto count = static_cast<double>(existing(table, subject.positions).count);
  return count * count * static_cast<double>(table.width) < 4e8;
}

std::vector<std::int64_t> every_shift(Index positions) {
  std::vector<std::int64_t> shifts;
  for (std::int64_t shift = 1; shift < positions; ++shift) shifts.push_back(shift);
  return shifts;
}

// Those that were asked for; every one where that is cheap; else the usual ones.
std::vector<std::int64_t> wide_shifts(const Table& table, const Case& subject) {
  if (subject.shifts.empty() && pairs_are_cheap(table, subject))
    return every_shift(existing(table, subject.positions).count);
  return shifts_of(subject);
}

// Two rows at a time that stand so far apart. Where all pairs are cheap the table is small, and
// made once: some tables are integrated from their start at every call.
class RowPairs {
 public:
  RowPairs(Kept<Table> table, Kept<Case> subject)
      : table_(table),
        dtype_(subject.get().dtype),
        positions_(existing(table_, subject.get().positions)) {
    if (pairs_are_cheap(table_, subject)) all_ = rows_of(table_, positions_, dtype_);
  }

  template <typename Visit>
  void visit(std::int64_t shift, const Visit& two) const {
    const Index count = positions_.count - shift, width = table_.width;
    if (count <= 0) return;
    const auto run = [&](const double* here, const double* there, Index first, Index rows) {
      for (Index i = 0; i < rows; ++i) two(here + i * width, there + i * width, first + i);
    };
    if (!all_.empty()) return run(all_.data(), all_.data() + shift * width, 0, count);
    for_blocks(positions_.slice(0, count), width, [&](Index first, const PositionRange& block) {
      const auto here = rows_of(table_, block, dtype_),
                 there = rows_of(table_, positions_.slice(first + shift, block.count), dtype_);
      run(here.data(), there.data(), first, block.count);
    });
  }

 private:
  const Table& table_;
  DType dtype_;
  PositionRange positions_;
  std::vector<double> all_;
};

// The root mean square over a row of what a foreign table's angles may be off by at the last
// position; norms (offset 0) do not see it, for a sine and its cosine turn together.
double foreign_drift(const Table& table, const Case& subject,
                     const std::vector<std::int64_t>& shifts) {
  if (!subject.foreign || !subject.foreign->angle || (shifts.size() == 1 && shifts[0] == 0))
    return 0;
  double sum = 0;
  const PositionRange positions = existing(table, subject.positions);
  for (Index pair = 0; pair < table.width / 2; ++pair)
    sum +=
        std::pow(std::max(subject.foreign->angle(positions.at(0), static_cast<std::size_t>(pair)),
                          subject.foreign->angle(positions.at(positions.count - 1),
                                                 static_cast<std::size_t>(pair))),
                 2);
  return subject.foreign->amplitude * std::sqrt(sum / static_cast<double>(table.width));
}

// How long each row is, and what its entries may be off by.
struct RowSizes {
  std::vector<double> norms, errors;
};

RowSizes row_sizes(const Table& table, const Case& subject, double drift) {
  RowSizes sizes;
  for_blocks(existing(table, subject.positions), table.width,
             [&](Index, const PositionRange& block) {
               const auto rows = rows_of(table, block, subject.dtype);
               for (auto row = rows.begin(); row != rows.end(); row += table.width) {
                 double largest = 0;
                 for (Index c = 0; c < table.width; ++c)
                   largest = std::max(largest, std::fabs(row[c]));
                 sizes.norms.push_back(std::sqrt(std::fabs(dot(&*row, &*row, table.width))));
                 sizes.errors.push_back(entry_error(subject, largest) + drift);
               }
             });
  return sizes;
}

// ⟨P(p), P(p+k)⟩ over all p for each k. Rounding moves the product of rows a and b by at most
// √d(e·|b| + e'·|a|) + d·e·e' (e and e' the rounding errors of their entries; Cauchy-Schwarz), and
// adding in double by d·2^-53·|a|·|b| more; two of them differ by twice the most of all. Each row
// has its own: one that is out of all bounds makes no room for others.
Measurement products(const Table& table, const Case& subject,
                     const std::vector<std::int64_t>& shifts) {
  Measurement result;
  const PositionRange positions = existing(table, subject.positions);
  const Index width = table.width;
  std::optional<double> lost;  // a position whose product is no number
  const RowSizes sizes = row_sizes(table, subject, foreign_drift(table, subject, shifts));
  const auto d = static_cast<double>(width);
  double moved = 0;
  std::size_t moved_here = 0, moved_there = 0;
  const RowPairs pairs(table, subject);
  for (const std::int64_t shift : shifts) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    Index low_at = 0, high_at = 0;
    pairs.visit(shift, [&](const double* here, const double* there, Index i) {
      const double product = dot(here, there, width);
      if (std::isnan(product)) lost = positions.value(i);
      if (product < low) {
        low = product;
        low_at = i;
      }
      if (product > high) {
        high = product;
        high_at = i;
      }
    });
    for (std::size_t i = 0, j = static_cast<std::size_t>(shift); j < sizes.norms.size(); ++i, ++j) {
      const double a = sizes.norms[i], b = sizes.norms[j], e = sizes.errors[i], f = sizes.errors[j],
                   by = std::sqrt(d) * (e * b + f * a) + d * e * f + d * 0x1p-53 * a * b;
      if (!(by > moved)) continue;
      moved = by;
      moved_here = i;
      moved_there = j;
    }
    if (high - low <= result.worst) continue;
    result.worst = high - low;
    result.witness =
        fmt::format("offset {}: product {:.9g} at position {}, {:.9g} at position {}", shift, low,
                    positions.value(low_at), high, positions.value(high_at));
  }
  result.bound = 2 * moved;
  result.bound_from = fmt::format(
      "2(√d(e·|b| + e'·|a|) + d·e·e' + d·2^-53·|a|·|b|), e = {:.3g}, e' = {:.3g}{}, d = {}, |a| = "
      "{:.6g}, |b| = {:.6g}",
      sizes.errors[moved_here], sizes.errors[moved_there], spell_entry_error(subject), width,
      sizes.norms[moved_here], sizes.norms[moved_there]);
  result.power = power_of_square(
      1, result.bound, std::min(result.worst, result.bound));  // offset 0; of others, a product
  if (shifts.size() != 1 || shifts[0] != 0)
    result.power.at = "a cell whose partners at these offsets are small";
  result.coverage = fmt::format("all {} positions, {}", positions.count, spell_shifts(shifts));
  if (lost) {
    result.worst = std::nan("");
    result.witness = fmt::format("position {}: the product is no number", *lost);
  }
  return result;
}

}  // namespace

Measurement bounded(const Table& table, const Case& subject) {
  Measurement result;
  const std::pair<double, double> range = table.range.value_or(std::pair{-1.0, 1.0});
  const double low = range.first, high = range.second;
  double room = 0;  // between a value and the end of the range that is farther
  const PositionRange positions = existing(table, subject.positions);
  for_blocks(positions, table.width, [&](Index first, const PositionRange& block) {
    const auto rows = rows_of(table, block, subject.dtype);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double excess =
          std::isnan(rows[i]) ? rows[i] : std::max({rows[i] - high, low - rows[i], 0.0});
      room = std::max({room, high - rows[i], rows[i] - low});
      if (!worse(excess, result.worst)) continue;
      result.worst = excess;
      result.witness = fmt::format("position {}, channel {}: {}",
                                   positions.value(first + static_cast<Index>(i) / table.width),
                                   static_cast<Index>(i) % table.width, rows[i]);
    }
  });
  // Rounding is monotone: it leaves the range only when an end of it is not a number of the dtype.
  const bool ends_fit =
      std::ldexp(high, 6) == std::trunc(std::ldexp(high, 6)) && std::fabs(high) <= 1;
  result.bound =
      ends_fit ? 0 : rounding_error(subject.dtype, std::max(std::fabs(low), std::fabs(high)));
  result.bound_from = fmt::format("outside [{:.9g}, {:.9g}]{}", low, high,
                                  ends_fit ? "" : " by more than one rounding");
  result.power = {room + result.bound, "a cell at one end of the range, towards the other"};
  result.coverage = fmt::format("all {} positions", positions.count);
  result.exhaustive = true;
  return result;
}

namespace {

// −0 is 0.
std::vector<double> with_one_zero(std::vector<double> values) {
  for (double& value : values)
    if (value == 0) value = 0;
  return values;
}

}  // namespace

Measurement unique(const Table& table, const Case& subject) {
  Measurement result;
  const PositionRange positions = existing(table, subject.positions);
  result.bound_from = "positions whose row another one has; none may";
  result.power = {HUGE_VAL, "a change is seen when it makes two rows equal"};
  result.exhaustive = true;
  std::unordered_multimap<std::size_t, Index> seen;  // hash of a row → index
  for_blocks(positions, table.width, [&](Index first, const PositionRange& block) {
    const auto rows = with_one_zero(rows_of(table, block, subject.dtype));
    const auto bytes_of = [&](const double* row) {
      return std::string_view(reinterpret_cast<const char*>(row),
                              static_cast<std::size_t>(table.width) * 8);
    };
    for (Index i = 0; i < block.count; ++i) {
      const double* row = &rows[static_cast<std::size_t>(i * table.width)];
      const std::size_t hash = std::hash<std::string_view>{}(bytes_of(row));
      bool again = false;
      for (auto [same, end] = seen.equal_range(hash); same != end && !again; ++same) {
        const auto other =
            with_one_zero(rows_of(table, positions.slice(same->second, 1), subject.dtype));
        again = std::memcmp(other.data(), row, other.size() * 8) == 0;
        if (again && result.worst++ == 0)
          result.witness = fmt::format("positions {} and {} have the same row",
                                       positions.value(same->second), positions.value(first + i));
      }
      if (!again)
        seen.emplace(
            hash,
            first + i);  // each row once: a table of equal rows is not searched again and again
    }
  });
  // The closest pair: over all pairs while that is cheap, else over the usual offsets.
  const bool cheap = pairs_are_cheap(table, subject);
  double closest = HUGE_VAL;
  Index one = -1, other = -1;
  const auto compare = [&](const double* here, const double* there, Index at, std::int64_t shift) {
    const double square = square_apart(here, there, table.width);
    if (square < closest) {
      closest = square;
      one = at;
      other = at + shift;
    }
  };
  const RowPairs pairs(table, subject);
  for (const std::int64_t shift : cheap ? every_shift(positions.count) : shifts_of(subject))
    pairs.visit(shift, [&](const double* here, const double* there, Index i) {
      compare(here, there, i, shift);
    });
  if (result.worst == 0 && one >= 0)
    result.witness = fmt::format("closest {}: positions {} and {}, {:.6g} apart",
                                 cheap ? "of all pairs" : "among the offsets tried",
                                 positions.value(one), positions.value(other), std::sqrt(closest));
  result.coverage = fmt::format("all {} positions", positions.count);
  return result;
}

namespace {

Measurement norms(const Table& table, const Case& subject) { return products(table, subject, {0}); }

// Two cells of a turn each sum to the same square: pairs that keep theirs keep the row's.
Measurement foreign_norm(const Table& table, const Case& subject) {
  return foreign_columns(round_table(table, subject), table, subject, norms);
}

}  // namespace

Measurement constant_norm(const Table& table, const Case& subject) {
  Measurement result = subject.foreign ? foreign_norm(table, subject) : norms(table, subject);
  result.exhaustive = true;
  if (!subject.foreign)
    result.coverage =
        fmt::format("all {} positions, squared norms", existing(table, subject.positions).count);
  return result;
}

// Products that depend on the offset only are those of rows that an orthogonal map turns, which in
// its own axes is a turn for each pair: pairs that are steady as they stand obey the law, for every
// offset at once.
Measurement distance_by_offset(const Table& table, const Case& subject) {
  const auto by_products = [](const Table& columns, const Case& of) {
    const Index count = existing(columns, of.positions).count;
    Measurement result = products(columns, of, wide_shifts(columns, of));
    if (of.shifts.empty() && pairs_are_cheap(columns, of))
      result.coverage = fmt::format("all {} positions, every offset", count);
    return result;
  };
  return subject.foreign
             ? foreign_columns(steady_table(table, subject), table, subject, by_products)
             : by_products(table, subject);
}

// (x + P(m))·(y + P(n)) holds x·P(n), which for some x moves as far as P(n) does: only a constant
// table is relative.
Measurement table_relative_only(const Table& table, const Case& subject) {
  Measurement result;
  const PositionRange positions = existing(table, subject.positions);
  const auto start = rows_of(table, positions.slice(0, 1), subject.dtype);
  for_blocks(positions, table.width, [&](Index first, const PositionRange& block) {
    const auto rows = rows_of(table, block, subject.dtype);
    for (Index i = 0; i < block.count; ++i) {
      double square = 0;
      for (Index c = 0; c < table.width; ++c) {
        const double difference = rows[static_cast<std::size_t>(i * table.width + c)] -
                                  start[static_cast<std::size_t>(c)];
        square += difference * difference;
      }
      if (!worse(std::sqrt(square), result.worst)) continue;
      result.worst = std::sqrt(square);
      result.witness =
          fmt::format("x·P({}) and x·P({}) differ by {:.6g} for a unit x, at any offset",
                      positions.value(first + i), positions.value(0), result.worst);
    }
  });
  result.bound = 2 * std::sqrt(static_cast<double>(table.width)) *
                 entry_error(subject, largest_of(table, subject));
  result.bound_from = "2e√d: a table that rounding alone keeps from being constant";
  result.power = {result.bound + std::min(result.worst, result.bound), "any cell"};
  result.coverage = fmt::format("all {} positions", positions.count);
  result.exhaustive = true;
  return result;
}

}  // namespace pe::laws
