// Least squares of a table's own M_k, with its null.
#include "pe/analyze/shift/fitted_shifts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/lags.hpp"
#include "pe/analyze/shift/known_shifts.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/ulp.hpp"
#include "pe/model/random.hpp"
#include "pe/properties/shift_fit.hpp"

namespace pe {
namespace {

constexpr double least = 0.5e-8;  // directions below twice this part of the largest are left out

double square_sum(const Matrix& matrix) {
  Sum sum;
  for (std::size_t i = 0; i < matrix.rows() * matrix.columns(); ++i)
    sum.add(matrix.data()[i] * matrix.data()[i]);
  return sum.value();
}

double square_of_difference(const Matrix& a, const Matrix& b) {
  Sum sum;
  for (std::size_t i = 0; i < a.rows() * a.columns(); ++i) {
    const double off = a.data()[i] - b.data()[i];
    sum.add(off * off);
  }
  return sum.value();
}

// What every row less the mean of all rows adds up to.
double spread_of(const std::vector<double>& rows, Index width) {
  const auto columns = static_cast<std::size_t>(width), count = rows.size() / columns;
  Sum total;
  for (std::size_t c = 0; c < columns; ++c) {
    Sum mean;
    for (std::size_t i = 0; i < count; ++i) mean.add(rows[i * columns + c]);
    const double centre = mean.value() / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double off = rows[i * columns + c] - centre;
      total.add(off * off);
    }
  }
  return total.value();
}

struct Fit {
  double seen = 0, held_out = 0;  // residuals
  double uncertain = 0;           // how far arithmetic may have moved them
  Index rank = 0, fitted = 0;
};

// A least-squares solution is off by n·2^-52·κ(|M| + κ·|r|/|x|), κ the condition of the directions
// kept (Higham 2002, §20.1), and a guess by that times |x|.
double uncertainty(const laws::ShiftFit& fit, const Matrix& x, const Matrix& tried, double left) {
  const double condition = fit.singular.front() / fit.singular[fit.rank - 1];
  const double map = std::sqrt(square_sum(fit.m)), size = std::max(fit.singular.front(), 1e-300);
  return static_cast<double>(x.rows() + x.columns()) * 0x1p-52 * condition *
         (map + condition * left / size) * std::sqrt(square_sum(tried));
}

// How far each number may be from what was meant: half a unit of the shortest type that has all of
// them, which is the one that they were stored in. Whole numbers are what they are.
double rounding_of(const Rows& rows) {
  double largest = 0;
  bool whole = true;
  for (const double value : rows.values) {
    largest = std::max(largest, std::fabs(value));
    whole = whole && value == std::nearbyint(value);
  }
  if (whole) return 0;
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32})
    if (on_grid(rows.values, dtype)) return rounding_error(largest, dtype);
  return rounding_error(largest, DType::f64);
}

// A matrix of independent errors up to e has no singular value above e(√n + √d).
double noise_of(double rounding, const Matrix& x) {
  return rounding *
         (std::sqrt(static_cast<double>(x.rows())) + std::sqrt(static_cast<double>(x.columns())));
}

// Both halves in turn: `here` and `there` are rows k apart, [row, width], each number off by
// `rounding`.
Fit fit_of(const std::vector<double>& here, const std::vector<double>& there, Index width,
           double rounding) {
  const Index usable = static_cast<Index>(here.size()) / width;
  Fit result;
  double seen = 0, held_out = 0, moved = 0;
  for (const bool later : {true, false}) {
    ask_time();
    const auto [fitted, tried] = laws::halves_of(usable, later);
    const Matrix x = laws::gather(here, width, fitted), y = laws::gather(there, width, fitted),
                 x_tried = laws::gather(here, width, tried),
                 y_tried = laws::gather(there, width, tried);
    const laws::ShiftFit fit = laws::fit_shift(x, y, noise_of(rounding, x), least);
    const double left = square_of_difference(product(x, fit.m), y);
    seen += left;
    held_out += square_of_difference(product(x_tried, fit.m), y_tried);
    moved += uncertainty(fit, x, x_tried, std::sqrt(left));
    result.rank = std::max(result.rank, static_cast<Index>(fit.rank));
    result.fitted = static_cast<Index>(fitted.size());
  }
  const double spread = spread_of(there, width);
  if (!(spread > 0))
    throw UsageError("every row is the same: any map that keeps it is an M_k, and none is fitted");
  result.seen = std::sqrt(seen / spread);
  result.held_out = std::sqrt(held_out / spread);
  result.uncertain = moved / std::sqrt(spread);
  return result;
}

// Rows that are k apart, as many as a fit looks at.
std::pair<std::vector<double>, std::vector<double>> apart(const Rows& rows, std::int64_t k) {
  const Index lag = std::abs(k),
              usable = std::min(rows.positions.count - lag, laws::most_fitted_rows);
  if (k == 0 || usable < 32)
    throw UsageError(
        fmt::format("--k {}: a fit needs at least 32 pairs of different rows, and {} rows have {}",
                    k, rows.positions.count, k == 0 ? 0 : std::max<Index>(usable, 0)));
  const auto size = static_cast<std::size_t>(usable * rows.width);
  const double *low = rows.row(0), *high = rows.row(lag);
  std::vector<double> one(low, low + size), other(high, high + size);
  if (k < 0) std::swap(one, other);
  return {std::move(one), std::move(other)};
}

// Decompositions of rows x channels: two halves of each table, its own and those of noise.
void begin_fits(const Rows& rows, double fits, double part) {
  const auto n = static_cast<double>(std::min(rows.positions.count, laws::most_fitted_rows)) * part,
             d = static_cast<double>(rows.width);
  begin({.what = fmt::format("{:.0f} decompositions of {:.0f} x {:.0f} numbers", fits, n, d),
         .operations = fits * n * d * std::min(n, d),
         .per_second = 2e8,
         .levers = {{"length", n / part, n < d ? 2.0 : 1.0}},
         .other = "a smaller --null, fewer --k"});
}

// Of each of `fits` a share of the rows.
Rows rows_to_fit(const Question& question, std::size_t fits, double part) {
  Rows rows = rows_in_memory(question, "shift", [&](const Rows& those) {
    begin_fits(those, static_cast<double>(fits), part);
  });
  if (!rows.axis.empty())
    throw UsageError(
        "a fit is of rows that follow each other, and these are cells: take --view turns");
  if (rows.positions.step != 1 || rows.positions.decimals != 0)
    throw UsageError("--positions must follow each other for a fit: leave out the step");
  if (rows.width > 1024)
    throw UsageError(
        fmt::format("a fit is of at most 1024 channels, got {}: each takes a decomposition of the "
                    "rows",
                    rows.width));
  return rows;
}

// Mean and deviation of what is left of normal tables.
std::pair<double, double> null_of(const Question& question, Index usable, Index lag, Index width,
                                  std::size_t shift) {
  const Index draws = question.options.integer("null");
  const auto seed = static_cast<std::uint64_t>(question.options.integer("seed"));
  std::vector<double> left;
  for (Index draw = 0; draw < draws; ++draw) {
    question.advance(static_cast<double>(draw) / static_cast<double>(draws));
    const std::uint64_t stream =
        random_stream(seed, static_cast<std::uint64_t>(draw) + (std::uint64_t{shift} << 32U));
    std::vector<double> all(static_cast<std::size_t>((usable + lag) * width));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = random_normal(stream, i);
    const std::vector<double> there(all.begin() + lag * width, all.end());
    all.resize(static_cast<std::size_t>(usable * width));
    left.push_back(fit_of(all, there, width, 0).held_out);
  }
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Sum sum, squares;
  for (const double value : left) sum.add(value);
  const auto n = static_cast<double>(draws);
  for (const double value : left) squares.add(std::pow(value - sum.value() / n, 2));
  return {draws > 0 ? sum.value() / n : none,
          draws > 1 ? std::sqrt(squares.value() / (n - 1)) : none};
}

// A part that arithmetic alone could make of nothing, or of much, is not known.
double told(double left, const Fit& fit) {
  constexpr double tells = 1e-3;
  return fit.uncertain > tells && fit.uncertain >= left ? std::numeric_limits<double>::quiet_NaN()
                                                        : left;
}

// What is left, no finer than it is known.
std::string note_of(std::int64_t k, const Fit& fit, double random) {
  const std::string left = fit.held_out > 10 * fit.uncertain
                               ? fmt::format("{:.3g}", fit.held_out)
                               : fmt::format("less than {:.1g}", fit.held_out + fit.uncertain);
  return fmt::format(
      "k = {}: a linear map leaves {} of the rows that it was not fitted on (0: all explained; 1: "
      "no better than their mean){}{}",
      k, left,
      std::isnan(random) ? "" : fmt::format(", and {:.3g} of random tables of this shape", random),
      fit.rank == fit.fitted
          ? "; of those it was fitted on it leaves nothing, as of any table with "
            "so few rows"
          : "");
}

}  // namespace

Sheet fitted_shifts(const Question& question, const std::vector<std::int64_t>& shifts) {
  const auto tables = static_cast<std::size_t>(question.options.integer("null") + 1);
  const Rows rows = rows_to_fit(question, 2 * tables * shifts.size(), 0.5);
  std::vector<double> rank, fitted, seen, held_out, null_mean, null_sd;
  const double rounding = rounding_of(rows);
  double uncertain = 0;
  std::string note;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const auto [here, there] = apart(rows, shifts[i]);
    const Fit fit = fit_of(here, there, rows.width, rounding);
    const Index usable = static_cast<Index>(here.size()) / rows.width;
    const auto [mean, sd] =
        null_of(question, usable, std::min(std::abs(shifts[i]), usable), rows.width, i);
    rank.push_back(static_cast<double>(fit.rank));
    fitted.push_back(static_cast<double>(fit.fitted));
    seen.push_back(told(fit.seen, fit));
    held_out.push_back(told(fit.held_out, fit));
    null_mean.push_back(mean);
    null_sd.push_back(sd);
    uncertain = std::max(uncertain, fit.uncertain);
    if (note.empty()) note = note_of(shifts[i], fit, mean);
  }
  const Error error{uncertain, 0x1p-40};
  return {
      .axes = {placed_axis("k", {shifts.begin(), shifts.end()}, "positions on")},
      .columns = {{"rank", "directions that stand out of the rounding", std::move(rank)},
                  {"fitted", "rows of each fit", std::move(fitted)},
                  {"residual_fitted", "part left of the rows fitted", std::move(seen), error},
                  {"residual", "part left of the rows held out", std::move(held_out), error},
                  {"null_mean",
                   "the same of random tables, their mean",
                   std::move(null_mean),
                   {1e-9, 1e-9}},
                  {"null_sd", "and their standard deviation", std::move(null_sd), {1e-9, 1e-9}}},
      .notes = {note}};
}

Sheet fitted_matrix(const Question& question, const std::vector<std::int64_t>& shifts) {
  const Rows rows = rows_to_fit(question, shifts.size(), 1);
  check_matrix(shifts, rows.width);
  const auto width = static_cast<std::size_t>(rows.width);
  std::vector<double> values;
  const double rounding = rounding_of(rows);
  double uncertain = 0;
  for (const std::int64_t k : shifts) {
    const auto [here, there] = apart(rows, k);
    std::vector<Index> all(here.size() / width);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
    const Matrix x = laws::gather(here, rows.width, all), y = laws::gather(there, rows.width, all);
    const laws::ShiftFit fit = laws::fit_shift(x, y, noise_of(rounding, x), least);
    const double left = std::sqrt(square_of_difference(product(x, fit.m), y));
    uncertain = std::max(uncertain,
                         uncertainty(fit, x, x, left) / std::max(std::sqrt(square_sum(x)), 1e-300));
    const Matrix m = transposed(fit.m);  // rows were on the left
    values.insert(values.end(), m.data(), m.data() + width * width);
  }
  Sheet sheet = matrix_sheet(shifts, rows.width, std::move(values), {uncertain, 0});
  sheet.notes = {"fitted on all rows; --view fit tells what it is worth"};
  return sheet;
}

}  // namespace pe
