// shift: M_k, which carries the row of each position to the row k positions on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/shift/fitted_shifts.hpp"
#include "pe/analyze/shift/known_shifts.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    {.name = "k",
     .type = Parameter::Type::numbers,
     .help = "how many positions on, one number or several",
     .fallback = "1",
     .lowest = "-9007199254740992",
     .highest = "9007199254740992"},
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "turns: one row for each pair of channels; matrix: M_k itself, P(p + k) = M_k·P(p); "
             "fit: M_k fitted on half of the rows and tried on the others, beside random tables "
             "(default: turns where the rows are made of waves, else fit)",
     .choices = "turns matrix fit"},
    {.name = "axis",
     .type = Parameter::Type::name,
     .help = "of positions that have several: the one that k counts along (default: tables the "
             "first; rotations all, each alike)"},
    {.name = "null",
     .help = "random tables of the same shape that a fit is held against",
     .fallback = "8",
     .lowest = "0",
     .highest = "10000"},
    {.name = "seed",
     .help = "seed of the random tables, and of an encoding's own numbers",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"}};

std::vector<std::int64_t> shifts_of(const Question& question) {
  std::vector<std::int64_t> shifts;
  for (const Decimal& number : question.options.numbers("k")) {
    if (!number.is_integer())
      throw UsageError(fmt::format("--k must be whole numbers, got {}", number.text()));
    shifts.push_back(number.integer());
  }
  return shifts;
}

Sheet measure(const Question& question) {
  const std::vector<std::int64_t> shifts = shifts_of(question);
  const bool known = has_known_shifts(question);
  const std::string form = question.options.has("view") ? question.options.choice("view")
                           : known && !question.of_file ? "turns"
                                                        : "fit";
  question.decide("view", form);
  if (form != "fit" && question.options.origin("null") != "default")
    throw UsageError(fmt::format("--null is of --view fit, and has no meaning for {}", form));
  if (form == "turns" && !known)
    throw UsageError("--view turns is of rows that are made of waves: take --view fit or matrix");
  if (form == "fit") return fitted_shifts(question, shifts);
  if (form == "turns") return turn_sheet(question, shifts);
  return known && !question.of_file ? known_matrix(question, shifts)
                                    : fitted_matrix(question, shifts);
}

}  // namespace

extern constinit const Quantity shift{
    .name = "shift",
    .also = "linear-shift m-k rotation-matrix transformation-matrix 平移 变换矩阵 旋转矩阵",
    .summary =
        "M_k, which carries each row to the one k positions on: as turns, as a matrix, or "
        "fitted and tried, beside random tables",
    .definition =
        "P(p + k) = M_k·P(p) for every p: on a sine and its cosine M_k = (cos kθ, sin kθ; −sin kθ, "
        "cos kθ); fitted, M = X⁺Y on every second of 16 runs of rows, residual = "
        "√(Σ|y − Mx|² / Σ|y − ȳ|²) over the rows held out, each row once",
    .source =
        "Vaswani et al. 2017, arXiv:1706.03762, §3.5; Su et al. 2021, arXiv:2104.09864, "
        "eq. 13",
    .accuracy =
        "turns are correctly rounded; a residual of rows has the digits that the rounding "
        "of M_k leaves certain, a fitted one those that the condition of the rows leaves.",
    .columns =
        "turns: angle cos sin first second residual | matrix: m | fit: rank fitted residual_fitted "
        "residual null_mean null_sd",
    .subjects = "table rotation",
    .parameters = options,
    .example = "sinusoidal --dim 8 --k 3",
    .usual_length = 512,
    .files = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
