// Turns by kθ, and how far stored rows lie from obeying them.
#include "pe/analyze/shift/known_shifts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/lags.hpp"
#include "pe/analyze/shift/residuals.hpp"
#include "pe/analyze/shift/shift_pairs.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/properties/laws.hpp"

namespace pe {
namespace {

constexpr Index most_cells = Index{1} << 22;   // of matrices
constexpr Index most_tokens = Index{1} << 22;  // whose coordinates are looked up: about 1 GiB

}  // namespace

bool has_known_shifts(const Question& question) { return !shifting_of(question).pairs.empty(); }

std::vector<Axis> behind_shifts(const std::vector<std::int64_t>& shifts, std::vector<Axis> axes) {
  std::vector<double> places(shifts.begin(), shifts.end());
  if (shifts.size() > 1)
    axes.insert(axes.begin(), placed_axis("k", std::move(places), "positions on"));
  return axes;
}

void check_matrix(const std::vector<std::int64_t>& shifts, Index width) {
  if (width > 2048 || static_cast<Index>(shifts.size()) * width * width > most_cells)
    throw UsageError(fmt::format(
        "--view matrix has {} x {} cells for each k: take --view turns, a smaller --dim "
        "or fewer --k",
        width, width));
}

Sheet matrix_sheet(const std::vector<std::int64_t>& shifts, Index width, std::vector<double> values,
                   const Error& error) {
  return {.axes = behind_shifts(shifts, {counted_axis("to", width, "channel of the row k on"),
                                         counted_axis("from", width, "channel of the row")}),
          .columns = {{"m", "P(p + k)[to] = Σ m[to, from]·P(p)[from]", std::move(values), error}}};
}

// Two rows of each position, and a turn of each pair; those of a grid at once.
void begin_turns(const Question& question, const Shifting& shifting, std::size_t shifts) {
  const auto rows = static_cast<double>(question.subject.span.positions.count),
             pairs = static_cast<double>(shifting.pairs.size()), each = static_cast<double>(shifts);
  const Coordinates* coordinates = coordinates_of(question.subject.effect);
  if (coordinates && coordinates->extents.empty() && rows > most_tokens)
    throw UsageError(fmt::format(
        "{:.0f} tokens are looked up by their coordinates, and more than {} take too much memory: "
        "give --length {} or less",
        rows, most_tokens, most_tokens));
  begin({.what = fmt::format("{:.0f} rows x {:.0f} pairs x {:.0f} shifts", rows, pairs, each),
         .operations = rows * pairs * each,
         .per_second = 4e7,
         .levers = {{"length", rows}},
         .other = "fewer --k"});
}

Sheet turn_sheet(const Question& question, const std::vector<std::int64_t>& shifts) {
  const Shifting shifting = shifting_of(question);
  begin_turns(question, shifting, shifts.size());
  const ShiftResiduals residuals(question, shifting);
  std::vector<double> angles, cosines, sines, first, second, residual;
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t k : shifts) {
    std::vector<Turn> turns;
    for (const ShiftPair& pair : shifting.pairs) {
      turns.push_back(turn_of(shifting, pair, k));
      angles.push_back(turns.back().angle);
      cosines.push_back(turns.back().cosine);
      sines.push_back(turns.back().sine);
      first.push_back(static_cast<double>(pair.in[0]));
      second.push_back(static_cast<double>(pair.in[1]));
    }
    for (const double off : residuals.at(k, turns)) {
      residual.push_back(off);
      largest = std::fmax(largest, off);
    }
  }
  const bool table = shifting.sign > 0;
  // Values up to the attention factor A, here at most 2^10: the turn's own rounding and four of the
  // products and sums, 6·2^-53·A each, in two numbers.
  const Error off{.absolute = 0x1p-49};
  return {
      .axes = behind_shifts(
          shifts, {counted_axis("pair", static_cast<Index>(shifting.pairs.size()), "of channels")}),
      .columns =
          {{"angle", "k·θ in radians", std::move(angles), {0, 0x1p-52}},
           {"cos", "on the diagonal of the pair's 2 x 2 block", std::move(cosines), {0, 0x1p-52}},
           {"sin", "beside it", std::move(sines), {0, 0x1p-52}},
           {"first", table ? "channel of the sine" : "first channel of the pair", std::move(first)},
           {"second", table ? "channel of the cosine" : "second channel of the pair",
            std::move(second)},
           {"residual", "largest |P(p + k) − M_k·P(p)| of the stored rows", std::move(residual),
            off}},
      .notes = {fmt::format(
          "every position turns alike, by {}{}",
          table ? "(sin, cos) → (c·sin + s·cos, c·cos − s·sin)"
                : "(first, second) → (c·first − s·second, s·first + c·second)",
          std::isnan(largest) ? ""
                              : fmt::format("; the farthest stored row lies {:.2g} from where M_k "
                                            "carries it",
                                            largest))}};
}

Sheet known_matrix(const Question& question, const std::vector<std::int64_t>& shifts) {
  const Shifting shifting = shifting_of(question);
  check_matrix(shifts, shifting.width);
  const auto width = static_cast<std::size_t>(shifting.width);
  std::vector<double> values;
  for (const std::int64_t k : shifts) {
    std::vector<double> m(width * width, 0.0);
    for (std::size_t c = 0; c < width; ++c) m[c * width + c] = 1;
    for (const ShiftPair& pair : shifting.pairs)
      for (const Index channel : pair.out)
        m[static_cast<std::size_t>(channel) * width + static_cast<std::size_t>(channel)] = 0;
    for (const ShiftPair& pair : shifting.pairs) {
      const Turn turn = turn_of(shifting, pair, k);
      const auto cell = [&](int out, int in) -> double& {
        return m[static_cast<std::size_t>(pair.out[static_cast<std::size_t>(out)]) * width +
                 static_cast<std::size_t>(pair.in[static_cast<std::size_t>(in)])];
      };
      cell(0, 0) = cell(1, 1) = turn.cosine;
      cell(0, 1) = shifting.sign * turn.sine + 0.0;
      cell(1, 0) = -shifting.sign * turn.sine + 0.0;
    }
    values.insert(values.end(), m.begin(), m.end());
  }
  return matrix_sheet(shifts, shifting.width, std::move(values), {0, 0x1p-52});
}

}  // namespace pe
