// linear-shift of a table whose formula is not known: M_k fitted on some positions and tried on
// others, beside tables that break the law.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/matrix.hpp"
#include "pe/base/narrow.hpp"
#include "pe/model/random.hpp"
#include "pe/properties/laws.hpp"
#include "pe/properties/shift_fit.hpp"

namespace pe::laws {
namespace {

constexpr Index most_rows = most_fitted_rows;

double column_sum(const Matrix& matrix) {  // the largest Σ_i |M_ij|
  double largest = 0;
  for (std::size_t j = 0; j < matrix.columns(); ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i) sum += std::fabs(matrix(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

// Σ_j |(ab)_ij| of each row, some rows of the product at a time.
std::vector<double> row_sums(const Matrix& a, const Matrix& b) {
  constexpr std::size_t at_once = 128;
  std::vector<double> sums;
  for (std::size_t first = 0; first < a.rows(); first += at_once) {
    Matrix some(std::min(at_once, a.rows() - first), a.columns());
    std::copy_n(a.data() + first * a.columns(), some.rows() * some.columns(), some.data());
    const Matrix rows = product(some, b);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < rows.columns(); ++j) sum += std::fabs(rows(i, j));
      sums.push_back(sum);
    }
  }
  return sums;
}

// What one offset says: the worst excess over its own bound decides.
struct Trial {
  double worst = 0, bound = 0, power = 0;
  Index position = 0, channel = 0;
  Index rank = 0;
};

// X holds P(p) for the fitted p, Y holds P(p+k); M = X⁺Y by a singular value decomposition without
// the directions that rounding alone fills. A row x tried is w X + r, w = x X⁺. If P(p+k) = M₀ P(p)
// holds and every stored entry is within e of it, then
//   |x M − y| ≤ e(1 + |w|₁)(1 + |M₀|) + |r|₂ |M₀|,
// |M₀| its largest column sum, taken from M (the fit is min-norm, so a column sum of M₀ on the
// rows' span is no larger but for rounding; doubled to be safe).
//
// Held out are runs of positions across the range: between neighbours any smooth table fits.
Trial try_shift(const Table& table, const PositionRange& positions, std::int64_t shift, double e,
                DType dtype, bool later) {
  const Index usable = std::min<Index>(positions.count - shift, most_rows);
  const auto [fitted, tried] = halves_of(usable, later);
  // The table is asked once: one that is integrated from its start makes a run of rows as fast as
  // the last of them.
  const auto here = rows_of(table, positions.slice(0, usable), dtype),
             there = rows_of(table, positions.slice(shift, usable), dtype);
  const Matrix x = gather(here, table.width, fitted), y = gather(there, table.width, fitted);
  const Matrix x_tried = gather(here, table.width, tried),
               y_tried = gather(there, table.width, tried);

  // A matrix of independent errors up to e has no singular value above e(√n + √d); what lies below
  // is rounding.
  const double noise = e * (std::sqrt(static_cast<double>(fitted.size())) +
                            std::sqrt(static_cast<double>(table.width)));
  const ShiftFit fit = fit_shift(x, y, noise, 1e-14);
  const Matrix along = product(x_tried, fit.scaled);  // [tried, rank]: the weights are its U
  const Matrix guess = product(along, product(fit.u, y));
  const Matrix rebuilt = product(along, product(fit.u, x));
  const std::vector<double> reaches = row_sums(along, fit.u);
  const Matrix& m = fit.m;
  const double size = 2 * column_sum(m);

  Trial trial;
  trial.rank = static_cast<Index>(fit.rank);
  double excess = -HUGE_VAL;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    double rest = 0;
    for (std::size_t c = 0; c < x.columns(); ++c)
      rest += std::pow(x_tried(i, c) - rebuilt(i, c), 2);
    const double bound = (e + 1e-15) * (1 + reaches[i]) * (1 + size) + std::sqrt(rest) * size;
    if (!std::isfinite(bound)) throw MathError("the fit's bound is larger than a double can be");
    for (std::size_t c = 0; c < y.columns(); ++c) {
      const double off = std::fabs(guess(i, c) - y_tried(i, c));
      trial.power = std::max(trial.power, bound + std::min(off, bound));
      if (off - bound <= excess) continue;
      excess = off - bound;
      trial.worst = off;
      trial.bound = bound;
      trial.position = tried[i];
      trial.channel = static_cast<Index>(c);
    }
  }
  return trial;
}

// Every cell is tried once: the runs that one fit sees are held out of the other.
Trial try_shift(const Table& table, const PositionRange& positions, std::int64_t shift, double e,
                DType dtype) {
  const Trial one = try_shift(table, positions, shift, e, dtype, true),
              other = try_shift(table, positions, shift, e, dtype, false);
  Trial worse = one.worst - one.bound > other.worst - other.bound ? one : other;
  worse.power = std::max(one.power, other.power);
  return worse;
}

// What a foreign table's angles may be off by at the positions looked at, times the largest value.
double drift_of(const Table& table, const Case& subject, double largest) {
  if (!subject.foreign || !subject.foreign->angle) return 0;
  double worst = 0;
  const PositionRange positions = existing(table, subject.positions);
  const Index last = std::min<Index>(positions.count, 2 * most_rows) - 1;
  for (Index pair = 0; pair < table.width / 2; ++pair)
    for (const Index row : {Index{0}, last})
      worst = std::max(worst,
                       subject.foreign->angle(positions.at(row), static_cast<std::size_t>(pair)));
  return worst * largest;
}

// Sinusoids of the table's width and size at positions that stand ever closer, √(p·L): no M_k moves
// them. What a fit says of them is what it says of a table that breaks the law as smoothly as one
// can.
Table warped_like(const Table& table, double largest, Index length) {
  Table warped;
  warped.width = table.width;
  warped.fill = [width = table.width, largest, length](const PositionRange& positions, DType dtype,
                                                       std::byte* out) {
    std::vector<double> values;
    for (Index i = 0; i < positions.count; ++i) {
      const double at =
          std::sqrt(static_cast<double>(std::max<std::int64_t>(positions.at(i), 0) * length));
      for (Index c = 0; c < width; ++c) {
        const double angle =
            at * std::pow(10000.0, -static_cast<double>(c / 2 * 2) / static_cast<double>(width));
        values.push_back(largest * (c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
      }
    }
    narrow(values, dtype, out);
  };
  return warped;
}

// The same numbers in no order: normal ones of the table's size.
Table random_like(const Table& table, double largest) {
  Table random;
  random.width = table.width;
  random.fill = [width = table.width, largest](const PositionRange& positions, DType dtype,
                                               std::byte* out) {
    std::vector<double> values;
    for (Index i = 0; i < positions.count; ++i)
      for (Index c = 0; c < width; ++c)
        values.push_back(largest / 3 *
                         random_normal(1, static_cast<std::uint64_t>(positions.at(i) * width + c)));
    narrow(values, dtype, out);
  };
  return random;
}

// Tries tables that break the law beside the one that was fitted, and says so in its witness.
// Returns why the fit cannot tell them from it, or "".
std::string add_rivals(Measurement& result, const Table& table, const Case& subject, double largest,
                       double e, std::int64_t shift) {
  const Index seen = std::min<Index>(existing(table, subject.positions).count, most_rows + shift);
  const auto trial_of = [&](const Table& rival) {
    return try_shift(rival, first_positions(seen), shift, e, subject.dtype);
  };
  try {
    const Trial warped = trial_of(warped_like(table, largest, seen)),
                random = trial_of(random_like(table, largest));
    const std::string beside = fmt::format(
        "a warped table of this shape leaves {:.3g} (bound {:.3g}), a random one {:.3g}",
        warped.worst, warped.bound, random.worst);
    result.witness += "; " + beside;
    if (result.holds() && warped.worst <= warped.bound)
      return fmt::format("the fit has no power here: it leaves {:.3g} (bound {:.3g}), and {}",
                         result.worst, result.bound, beside);
  } catch (const MathError& error) {
    if (result.holds()) return fmt::format("no table to hold it against: {}", error.what());
  }
  return "";
}

}  // namespace

Measurement fitted_shift(const Table& table, const Case& subject) {
  const PositionRange positions = existing(table, subject.positions);
  if (positions.decimals != 0 || positions.step != 1)
    return not_told("positions must be consecutive whole numbers");
  double largest = 0;  // NaN once a value is
  for_blocks(positions, table.width, [&](Index, const PositionRange& block) {
    for (const double value : rows_of(table, block, subject.dtype))
      if (worse(std::fabs(value), largest)) largest = std::fabs(value);
  });
  if (!std::isfinite(largest)) return not_told("the table holds NaN or infinite values");
  if (table.width > 2048)
    return not_told(fmt::format("the fit is for at most 2048 channels, got {}", table.width));
  const double e = entry_error(subject, largest) + drift_of(table, subject, largest);
  Measurement result;
  std::vector<std::int64_t> shifts =
      subject.shifts.empty() ? std::vector<std::int64_t>{1, 2, 7} : subject.shifts;
  double excess = -HUGE_VAL;
  std::int64_t worst_shift = 1;
  std::string untold;
  for (const std::int64_t shift : shifts) {
    // As many rows as columns fit any table exactly, so a fit proves nothing until there are well
    // more.
    const Index fitted = (std::min<Index>(positions.count - shift, most_rows) + 1) / 2;
    if (fitted < table.width + std::max<Index>(4, table.width / 4))
      return not_told(fmt::format(
          "too short: {} positions leave {} rows to fit {} columns at offset {}, and "
          "any table fits itself then; give at least {} positions",
          positions.count, std::max<Index>(fitted, 0), table.width, shift,
          2 * (table.width + std::max<Index>(4, table.width / 4)) + std::ranges::max(shifts)));
    Trial trial;
    try {
      trial = try_shift(table, positions, shift, e, subject.dtype);
    } catch (const MathError& error) {  // another offset may yet fail
      untold = error.what();
      continue;
    }
    if (!(trial.worst - trial.bound > excess)) continue;
    excess = trial.worst - trial.bound;
    worst_shift = shift;
    result.worst = trial.worst;
    result.bound = trial.bound;
    result.power = {trial.power, "the cell whose neighbours tell least of it"};
    result.witness =
        fmt::format("position {}, offset {}, channel {} (rank {} of {})",
                    positions.value(trial.position), shift, trial.channel, trial.rank, table.width);
  }
  if (!untold.empty() && result.holds()) return not_told(untold);
  result.bound_from = fmt::format(
      "e(1 + |w|)(1 + |M|) + |r||M|, e = {:.3g}{}{}; M_k fitted on every second of 16 runs "
      "of positions, tried on the others",
      e, spell_entry_error(subject),
      subject.foreign && subject.foreign->angle ? ", " + subject.foreign->angle_from : "");
  result.coverage = fmt::format("{} positions, {}", std::min<Index>(positions.count, most_rows),
                                spell_shifts(shifts));
  if (const std::string lacks = add_rivals(result, table, subject, largest, e, worst_shift);
      !lacks.empty())
    return not_told(lacks);
  return result;
}

}  // namespace pe::laws
