// similarity: how alike the rows of an encoding are, by lag, one against all, all against all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/lags.hpp"
#include "pe/analyze/similarity/neighbours.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/model/number.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    points_option,
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "lag: mean and spread over all positions so far apart; row: --at against all others; "
             "matrix: all against all; neighbours: how far rows that are --lag apart differ in "
             "each channel; grid: the cell --at against all cells (default: lag; row or grid where "
             "--at is given)",
     .choices = "lag row matrix neighbours grid"},
    {.name = "at",
     .type = Parameter::Type::name,
     .help = "position of --view row; cell ROW,COLUMN (or a position) of --view grid (default: in "
             "the middle)"},
    {.name = "lag",
     .help = "of --view neighbours",
     .fallback = "1",
     .lowest = "1",
     .highest = "9007199254740992"},
    {.name = "axis",
     .type = Parameter::Type::name,
     .help = "of positions that are cells: what lags run along (default: the first axis)"}};

constexpr Index most_sides = 2048;  // of a matrix

// Products and cosines of one row with others.
struct Alike {
  std::vector<double> product, cosine;

  void add(const Rows& rows, Index i, Index j) {
    product.push_back(dot(rows.row(i), rows.row(j), rows.width));
    const double norms =
        rows.norms[static_cast<std::size_t>(i)] * rows.norms[static_cast<std::size_t>(j)];
    cosine.push_back(norms > 0 ? product.back() / norms : std::numeric_limits<double>::quiet_NaN());
  }
  std::vector<Column> columns(const Rows& rows) {
    return {
        {"product", "inner product of the two rows", std::move(product), {rows.product_error()}},
        {"cosine", "product / (norm · norm)", std::move(cosine), {rows.cosine_error()}}};
  }
};

Axis position_axis(const Rows& rows, std::string name) {
  return {std::move(name), rows.positions, "position of a row"};
}

// Whether products depend on the lag alone, and whether they fall with it.
std::vector<std::string> lag_notes(const Rows& rows, const std::vector<Index>& chosen,
                                   const LagStatistics& product) {
  if (chosen.size() < 2) return {};
  const auto widest = std::ranges::max_element(product.deviation);
  const double error = rows.product_error();
  std::size_t rises = 0;
  for (std::size_t i = 1; i < product.mean.size(); ++i)
    rises += product.mean[i] > product.mean[i - 1] + 2 * error;
  const std::string spread =
      *widest <= 2 * error
          ? "products depend on the lag alone"
          : fmt::format(
                "products depend on more than the lag: their standard deviation reaches "
                "{:.4g} at lag {}",
                *widest, chosen[static_cast<std::size_t>(widest - product.deviation.begin())]);
  return {fmt::format("{}; their mean {}", spread,
                      rises == 0 ? "never rises with it"
                                 : fmt::format("does not fall steadily: it rises at {} of {} steps",
                                               rises, product.mean.size() - 1))};
}

Sheet lag_sheet(const Question& question, const Rows& rows, const std::vector<Index>& chosen) {
  Lags lags = lags_of(question, rows, chosen);
  Sheet sheet{.axes = {axis_along(rows.positions, chosen, "lag",
                                  rows.axis.empty() ? "positions apart" : "cells apart")},
              .columns = {},
              .notes = lag_notes(rows, chosen, lags.product)};
  const auto add = [&](const std::string& name, LagStatistics& values, double error) {
    const std::string of = "of the " + name + "s of rows so far apart";
    sheet.columns.push_back({name, "mean " + of, std::move(values.mean), {error}});
    sheet.columns.push_back({name + "_min", "least " + of, std::move(values.least), {error}});
    sheet.columns.push_back({name + "_max", "greatest " + of, std::move(values.most), {error}});
    sheet.columns.push_back(
        {name + "_sd", "standard deviation " + of, std::move(values.deviation), {error}});
  };
  add("product", lags.product, rows.product_error());
  add("cosine", lags.cosine, rows.cosine_error());
  return sheet;
}

Index index_of(const Rows& rows, const std::string& text, const char* highest) {
  const Index position = whole_number("at", text, "0", highest);
  for (Index i = 0; i < rows.positions.count; ++i)
    if (rows.positions.value(i) == static_cast<double>(position)) return i;
  throw UsageError(fmt::format("--at {} is none of the positions {}", text, spell(rows.positions)));
}

Sheet row_sheet(const Question& question, const Rows& rows) {
  const Index at = question.options.has("at")
                       ? index_of(rows, question.options.choice("at"), largest_whole)
                       : rows.positions.count / 2;
  if (!question.options.has("at"))
    question.decide("at", fmt::format("{}", rows.positions.value(at)));
  Alike alike;
  for (Index i = 0; i < rows.positions.count; ++i) alike.add(rows, at, i);
  return {.axes = {position_axis(rows, "position")},
          .columns = alike.columns(rows),
          .notes = {fmt::format("against the row at position {}", rows.positions.value(at))}};
}

void begin_matrix(const Rows& rows) {
  const Index count = rows.positions.count;
  if (count > most_sides)
    throw UsageError(
        fmt::format("--view matrix has {0} x {0} cells: give --length {1} or less, or "
                    "--view lag",
                    count, most_sides));
  const auto side = static_cast<double>(count);
  begin({.what = fmt::format("{0} x {0} products of {1} channels", count, rows.width),
         .operations = side * side * static_cast<double>(rows.width + 500),
         .per_second = 2e9,
         .levers = {{"length", side, 2}}});
}

Sheet matrix_sheet(const Question& question, const Rows& rows) {
  const Index count = rows.positions.count;
  Alike alike;
  for (Index i = 0; i < count; ++i) {
    question.advance(static_cast<double>(i) / static_cast<double>(count));
    for (Index j = 0; j < count; ++j) alike.add(rows, i, j);
  }
  return {.axes = {position_axis(rows, "position"), position_axis(rows, "other")},
          .columns = alike.columns(rows)};
}

// The position that "ROW,COLUMN" or "P" names.
Index cell_of(const std::string& text, const Coordinates& grid) {
  if (text.find(',') == std::string::npos)
    return whole_number("at", text, "0", std::to_string(*grid.count - 1).c_str());
  std::vector<Index> cell;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::size_t axis = std::min(cell.size(), grid.extents.size() - 1);
    cell.push_back(whole_number("at", text.substr(start, comma - start), "0",
                                std::to_string(grid.extents[axis] - 1).c_str()));
    start = comma + 1;
  }
  if (cell.size() != grid.extents.size())
    throw UsageError(fmt::format("--at must be {} of a cell, or a position, got {}",
                                 fmt::join(grid.axes, ","), text));
  Index position = 0;
  for (std::size_t axis = 0; axis < cell.size(); ++axis)
    position = position * grid.extents[axis] + cell[axis];
  return position;
}

Sheet grid_sheet(const Question& question, const Rows& rows) {
  const Coordinates* grid = coordinates_of(question.subject.effect);
  if (!grid || grid->extents.empty())
    throw UsageError(
        "--view grid is of positions that are cells row by row (sincos-2d, sincos-3d, rope-2d, "
        "learned --grid): take --view row");
  if (rows.positions != first_positions(*grid->count))
    throw UsageError("--view grid is of the whole grid: leave out --positions");
  std::string middle;
  for (const Index extent : grid->extents)
    middle += (middle.empty() ? "" : ",") + std::to_string(extent / 2);
  const bool given = question.options.has("at");
  const std::string text = given ? question.options.choice("at") : middle;
  if (!given) question.decide("at", text);
  const Index at = cell_of(text, *grid);
  Alike alike;
  for (Index i = 0; i < rows.positions.count; ++i) alike.add(rows, at, i);
  Sheet sheet{.axes = {},
              .columns = alike.columns(rows),
              .notes = {fmt::format("against the cell {}", text)}};
  for (std::size_t axis = 0; axis < grid->axes.size(); ++axis)
    sheet.axes.push_back(counted_axis(grid->axes[axis], grid->extents[axis], "of the cell"));
  return sheet;
}

std::string form_of(const Question& question) {
  if (question.options.has("view")) return question.options.choice("view");
  if (!question.options.has("at")) return "lag";
  const Coordinates* grid = coordinates_of(question.subject.effect);
  return grid && !grid->extents.empty() ? "grid" : "row";
}

Sheet measure(const Question& question) {
  const std::string form = form_of(question);
  question.decide("view", form);
  if (question.options.has("at") && form != "row" && form != "grid")
    throw UsageError(
        fmt::format("--at is of --view row and grid, and has no meaning for {}", form));
  const Parameters& given = question.options;
  if (given.origin("lag") != "default" && form != "neighbours")
    throw UsageError(fmt::format("--lag is of --view neighbours, and has no meaning for {}", form));
  if (given.has("points") && form != "lag")
    throw UsageError(fmt::format("--points is of --view lag, and has no meaning for {}", form));
  std::vector<Index> chosen;
  const Rows rows = rows_in_memory(question, "similarity", [&](const Rows& those) {
    if (form == "lag") {
      chosen = chosen_points(question, those.extent, "lags");
      begin_lags(question, those, chosen);
    } else if (form == "matrix") {
      begin_matrix(those);
    }
  });
  if (form == "row") return row_sheet(question, rows);
  if (form == "matrix") return matrix_sheet(question, rows);
  if (form == "neighbours") return neighbours_sheet(rows, question.options.integer("lag"));
  if (form == "grid") return grid_sheet(question, rows);
  return lag_sheet(question, rows, chosen);
}

}  // namespace

extern constinit const Quantity similarity{
    .name = "similarity",
    .also = "gram cosine inner-product dot-product 相似度 相似性 内积 点积 余弦相似度",
    .summary =
        "inner products and cosines of rows: by lag with their spread, one against all, all "
        "against all, neighbours",
    .definition =
        "product = P(p)·P(q), cosine = product / (|P(p)|·|P(q)|); by lag k their mean, least, "
        "greatest and standard deviation over all p with q = p + k; the row of a rotation is "
        "(A·cos pθ_j | A·sin pθ_j), so that its product is A²·Σ cos((p − q)θ_j)",
    .source = "Vaswani et al. 2017, arXiv:1706.03762, §3.5; Wang & Chen 2020, arXiv:2010.04903",
    .accuracy =
        "products of correctly rounded rows in double; a number has the digits that its "
        "bound (d/8 + 8 roundings of the largest norm squared) leaves certain.",
    .columns =
        "lag: product product_min product_max product_sd cosine cosine_min cosine_max cosine_sd | "
        "row: product cosine | matrix: product cosine | grid: product cosine | neighbours: mean "
        "rms largest",
    .subjects = "table rotation",
    .parameters = options,
    .example = "sincos-2d --grid 14x14 --dim 768 --at 4,7",
    .usual_length = 512,
    .files = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
