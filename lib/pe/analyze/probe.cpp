// probe: statistics of a table that nobody has a formula for, each beside tables of noise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "pe/analyze/probe/noise.hpp"
#include "pe/analyze/probe/table_statistics.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/model/random.hpp"

namespace pe::quantity_rows {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr int parts = 5;
constexpr Index fewest_rows = 10;
constexpr std::size_t first_regressed = 9;  // statistics from here on
constexpr std::size_t of_entropies[] = {4, 5};
constexpr double most_numbers = 0x1p27;  // of rows, or of their products

constexpr Parameter options[] = {
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "statistics: one row each; singular: singular values of the centred table; fourier: "
             "shares of its energy by mode along positions",
     .fallback = "statistics",
     .choices = "statistics singular fourier"},
    {.name = "draws",
     .help = "tables of noise, N(0, 1), of the same shape",
     .fallback = "10",
     .lowest = "2",
     .highest = "100000"},
    {.name = "seed",
     .help = "of the noise, and of the folds",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "window",
     .help = "of monotone_near, in positions",
     .fallback = "50",
     .lowest = "1",
     .highest = "1073741824"},
    {.name = "centre",
     .type = Parameter::Type::flag,
     .help = "take the mean row out before singular values, as principal components do; Roy & "
             "Vetterli take the table as it is",
     .fallback = "true",
     .negation = "no-centre"},
    {.name = "energy",
     .type = Parameter::Type::number,
     .help = "share of the energy that modes count up to",
     .fallback = "0.9",
     .lowest = "0",
     .highest = "1"},
};

PositionRange rows_asked(const Question& question) {
  PositionRange run = question.subject.span.positions;
  const std::optional<Index> rows = rows_of(question.subject.effect);
  if (rows && !question.subject.positions_given()) run.count = std::min(run.count, *rows);
  if (rows && (run.decimals != 0 || run.first < 0 || run.length() > *rows))
    throw UsageError(
        fmt::format("the table has the rows 0 to {}, and {} are asked for", *rows - 1, spell(run)));
  if (run.count < fewest_rows)
    throw UsageError(
        fmt::format("probe takes {} rows at least, to regress positions on a part of them; got {}",
                    fewest_rows, run.count));
  return run;
}

// Products of rows, singular values and five factors, for each table.
double work_of(Index rows, Index width, Index tables) {
  const auto n = static_cast<double>(rows), d = static_cast<double>(width);
  return static_cast<double>(tables) *
         (n * n * d + 10 * std::min(n, d) * std::min(n, d) * std::max(n, d) + n * n * n);
}

void begin_probe(const Question& question, Index rows, Index width) {
  const Index draws = question.options.integer("draws");
  const auto n = static_cast<double>(rows), d = static_cast<double>(width);
  if (n * std::max(n, d) > most_numbers)
    throw UsageError(
        fmt::format("{} rows of {} numbers and their products take more than a GiB: give --length "
                    "{:.0f} or less",
                    rows, width, std::min(std::sqrt(most_numbers), most_numbers / d)));
  begin_rows(question, static_cast<double>(question.subject.span.positions.length() - 1));
  const auto tables = static_cast<double>(draws + 1);
  begin({.what = fmt::format("{} rows of {} numbers beside {} tables of noise", rows, width, draws),
         .operations = work_of(rows, width, draws + 1),
         .per_second = 3e9,
         .threads = std::min(threads_of(question), tables),
         .levers = {{"length", n, 3}, {"draws", tables}}});
}

Matrix table_of(const Question& question, const PositionRange& run) {
  const auto& table = std::get<Table>(question.subject.effect);
  const DType dtype = question.subject.dtype;
  const Index size = run.count * table.width;
  std::vector<std::byte> bytes(static_cast<std::size_t>(size) * size_of(dtype));
  table.fill(run, dtype, bytes.data());
  Matrix matrix(static_cast<std::size_t>(run.count), static_cast<std::size_t>(table.width));
  widen(bytes.data(), dtype, {matrix.data(), static_cast<std::size_t>(size)});
  for (Index i = 0; i < size; ++i)
    if (!std::isfinite(matrix.data()[i]))
      throw UsageError(
          fmt::format("the table holds {} at position {}, channel {}: probe takes "
                      "finite numbers",
                      matrix.data()[i], run.at(i / table.width), i % table.width));
  return matrix;
}

// Sums of up to 2^26 products of doubles, of which shares and cosines are quotients.
constexpr Error of_sums{.absolute = 1e-11, .relative = 1e-9};
// The k singular values are off by e = max(n, d)·2^-52 of the largest each (LAPACK Users' Guide,
// §4.9), and so at most are their shares; |p ln p| moves by e(1 + ln 1/e), and dividing by their
// sum adds k·e·H with H ≤ ln k. An exponential makes that its relative error.
Error entropy_error(Index rows, Index width) {
  const auto k = static_cast<double>(std::min(rows, width)),
             e = 2 * static_cast<double>(std::max(rows, width)) * 0x1p-52;
  return {.absolute = 0, .relative = k * e * (2 + std::log(1 / e) + std::log(k)) + 0x1p-50};
}
// The regression divides by no less than 1e-6 of a mean eigenvalue, of which the greatest is n at
// most: within n·1e6·2^-53 ≤ 1e-6.
constexpr Error of_regression{.absolute = 1e-6, .relative = 0};
// Noise that is spread wider than this many errors has a z within 1/500.
constexpr double errors_apart = 1e3;

// Every number to what is certain of it.
void add_columns(Sheet& sheet, const std::vector<double>& own,
                 const std::vector<std::vector<double>>& others,
                 const std::function<Error(std::size_t)>& error_of) {
  Column value{"value", "of the table", {}}, mean{"null_mean", "mean of tables of noise", {}},
      deviation{"null_sd", "their standard deviation", {}},
      z{"z", "(value - null_mean) / null_sd", {}};
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Null null = null_of(others, i);
    const Error error = error_of(i);
    value.values.push_back(rounded(own[i], error));
    mean.values.push_back(rounded(null.mean, error));
    deviation.values.push_back(rounded(null.deviation, error));
    const double off = error.absolute + error.relative * std::fabs(null.mean);
    const bool spread = null.deviation > errors_apart * off;
    // The difference is off by both sides' errors, the divisor by its own.
    const Error quotient{
        .absolute = (off + error.absolute + error.relative * std::fabs(own[i])) / null.deviation,
        .relative = 2 * off / null.deviation + 0x1p-50};
    z.values.push_back(spread ? rounded((own[i] - null.mean) / null.deviation, quotient) : none);
  }
  sheet.columns = {std::move(value), std::move(mean), std::move(deviation), std::move(z)};
}

std::string statistics_note(const std::vector<double>& own,
                            const std::vector<std::vector<double>>& others) {
  const auto beside = [&](std::size_t i) {
    return fmt::format("{:.4g} (noise {:.4g})", own[i], null_of(others, i).mean);
  };
  return fmt::format(
      "neighbours have a cosine of {}; lags explain {} of the cosines; effective rank {}; a "
      "position is read off its row within {}",
      beside(0), beside(1), beside(4), beside(10));
}

Sheet measure(const Question& question) {
  const Parameters& asked_for = question.options;
  const PositionRange run = rows_asked(question);
  const Index width = std::get<Table>(question.subject.effect).width;
  begin_probe(question, run.count, width);
  const std::string& form = asked_for.choice("view");
  const Index window = asked_for.integer("window");
  const bool centred = asked_for.flag("centre");
  const double energy = asked_for.number("energy").value();
  const std::vector<int> folds =
      shuffled_folds(run.count, parts,
                     random_stream(static_cast<std::uint64_t>(asked_for.integer("seed")), ~0ull));
  const Asked asked = [&](const TableStatistics& table) -> std::vector<double> {
    if (form == "singular") return table.singular(centred);
    if (form == "fourier") return table.spectrum();
    const Directions directions = directions_of(table.singular(centred));
    const auto [r2, mae] = table.regressed(folds, parts);
    return {table.adjacent_cosine(),
            table.toeplitz(),
            table.monotone(run.count),
            table.monotone(window),
            directions.effective_rank,
            directions.effective_dimension,
            directions.participation_ratio,
            directions.top3,
            modes_of(table.spectrum(), energy),
            r2,
            mae};
  };
  const std::vector<double> own = asked(TableStatistics(table_of(question, run)));
  const auto others = noise_answers(question, run.count, width, asked);
  Sheet sheet;
  const auto count = static_cast<Index>(own.size());
  if (form == "singular")
    sheet.axes = {counted_axis("component", count, "by size")};
  else if (form == "fourier")
    sheet.axes = {counted_axis("mode", count, "turns along all positions")};
  else
    sheet.axes = {named_axis("statistic",
                             {"adjacent_cosine", "toeplitz", "monotone", "monotone_near",
                              "effective_rank", "effective_dimension", "participation_ratio",
                              "top3_share", "modes", "position_r2", "position_mae"},
                             "what is asked of the table")};
  const double largest = form == "singular" ? own.front() : 1;
  add_columns(sheet, own, others, [&](std::size_t i) {
    if (form != "statistics") return Error{.absolute = 1e-12 * largest, .relative = 1e-9};
    if (std::ranges::find(of_entropies, i) != std::end(of_entropies))
      return entropy_error(run.count, width);
    return i < first_regressed ? of_sums : of_regression;
  });
  if (form == "statistics") sheet.notes = {statistics_note(own, others)};
  return sheet;
}

}  // namespace

extern constinit const Quantity probe{
    .name = "probe",
    .also = "statistics singular-values 探针 统计 奇异值",
    .summary = "statistics of a table of vectors, each beside tables of noise of its shape",
    .definition =
        "c(i, j) = cos(P_i, P_j): adjacent_cosine, the mean of c(i, i+1); toeplitz, the variance "
        "of "
        "c(i, j), i < j, that means by j - i explain; monotone, the mean over i of the share of "
        "steps j >= i at which c(i, j) falls (near: j - i < --window); with the singular "
        "values s of the centred table, p = s/sum s and v = s^2/sum s^2, effective_rank "
        "exp(-sum p ln p), effective_dimension exp(-sum v ln v), "
        "participation_ratio 1/sum v^2, top3_share the three largest v; modes, how few Fourier "
        "modes along positions "
        "hold --energy; position_r2 and position_mae (predictions rounded) of the row's number "
        "regressed on the row, 5 folds; z = (value - null_mean) / null_sd",
    .source =
        "Wang & Chen 2020, arXiv:2010.04903; Wang et al. 2021, On Position Embeddings in "
        "BERT; Roy & Vetterli 2007, def. 1 (effective rank); Del Giudice 2021 (effective "
        "dimension)",
    .accuracy =
        "computed in double, within 1e-11, what is regressed within 1e-6; the regression has a "
        "ridge of 1e-6 mean "
        "eigenvalues.",
    .columns = "value null_mean null_sd z",
    .subjects = "table",
    .parameters = options,
    .example = "sinusoidal --dim 768 --length 512",
    .usual_length = 512,
    .files = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
