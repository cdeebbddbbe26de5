// Turns by kθ, and how far stored rows lie from obeying them.
#include "pe/analyze/shift/known_shifts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pe/analyze/lags.hpp"
#include "pe/analyze/shift/shift_pairs.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/properties/laws.hpp"

namespace pe {
namespace {

constexpr Index most_cells = Index{1} << 22;  // of matrices
constexpr Index most_held = Index{1} << 27;   // numbers of a grid

// The largest distance of a pair's stored values at p + k from its values at p, turned.
class Residuals {
 public:
  Residuals(const Question& question, const Shifting& shifting)
      : question_(question), axis_(shifting.axis), table_(as_table(question.subject.effect)) {
    const bool rotation = kind_of(question.subject.effect) == Kind::rotation;
    const Index n = table_.width / 2;
    for (std::size_t j = 0; j < shifting.pairs.size(); ++j) {
      const auto pair = static_cast<Index>(j);
      // Rows of a rotation are its cosines, then its sines: as a table's pair, the sine is first.
      columns_.push_back(rotation ? std::array<Index, 2>{n + pair, pair} : shifting.pairs[j].in);
    }
  }
  Residuals(const Question&&, const Shifting&) = delete;

  // NaN where positions have no such distance, or the table ends before.
  std::vector<double> at(std::int64_t k, const std::vector<Turn>& turns) const {
    std::vector<double> worst(turns.size(), std::numeric_limits<double>::quiet_NaN());
    const DType dtype = question_.subject.dtype;
    if (table_.grid) {
      in_grid(k, turns, worst);
      return worst;
    }
    const auto both = rows_for(k);  // clang 14 captures no structured binding
    const PositionRange &rows = both.first, &shifted = both.second;
    if (rows.count == 0) return worst;
    laws::for_blocks(rows, table_.width, [&](Index first, const PositionRange& block) {
      question_.advance(static_cast<double>(first) / static_cast<double>(rows.count));
      const auto here = laws::rows_of(table_, block, dtype),
                 there = laws::rows_of(table_, shifted.slice(first, block.count), dtype);
      for (Index i = 0; i < block.count; ++i)
        hold(&here[static_cast<std::size_t>(i * table_.width)],
             &there[static_cast<std::size_t>(i * table_.width)], turns, worst);
    });
    return worst;
  }

 private:
  // One row and the one k on.
  void hold(const double* here, const double* there, const std::vector<Turn>& turns,
            std::vector<double>& worst) const {
    for (std::size_t j = 0; j < turns.size(); ++j) {
      const Index sine = columns_[j][0], cosine = columns_[j][1];
      const double c = turns[j].cosine, s = turns[j].sine;
      const double off = std::hypot(there[sine] - (c * here[sine] + s * here[cosine]),
                                    there[cosine] - (c * here[cosine] - s * here[sine]));
      if (!(off <= worst[j])) worst[j] = off;
    }
  }

  // Of text between images: tokens whose coordinates are k further along the axis, where there are
  // such.
  void among_tokens(std::int64_t k, const std::vector<Turn>& turns,
                    std::vector<double>& worst) const {
    const Coordinates& map = *table_.grid;
    const PositionRange& tokens = question_.subject.span.positions;
    if (tokens.count * table_.width > most_held) return;
    const auto rows = laws::rows_of(table_, tokens, question_.subject.dtype);
    const auto place = [&](Index token, std::int64_t step) {
      std::vector<std::int64_t> axes;
      for (std::size_t axis = 0; axis < map.axes.size(); ++axis)
        axes.push_back(map.at(tokens.at(token), axis) +
                       (axis_ == "all" || axis_ == map.axes[axis] ? step : 0));
      return axes;
    };
    std::map<std::vector<std::int64_t>, Index> stands;
    for (Index token = 0; token < tokens.count; ++token) stands.emplace(place(token, 0), token);
    for (Index token = 0; token < tokens.count; ++token)
      if (const auto other = stands.find(place(token, k)); other != stands.end())
        hold(&rows[static_cast<std::size_t>(token * table_.width)],
             &rows[static_cast<std::size_t>(other->second * table_.width)], turns, worst);
  }

  // Cells that stay in the grid when k is added along the axis.
  void in_grid(std::int64_t k, const std::vector<Turn>& turns, std::vector<double>& worst) const {
    const Coordinates& grid = *table_.grid;
    if (grid.extents.empty()) return among_tokens(k, turns, worst);
    if (*grid.count * table_.width > most_held) return;
    const auto rows = laws::rows_of(table_, first_positions(*grid.count), question_.subject.dtype);
    for (Index cell = 0; cell < *grid.count; ++cell) {
      std::int64_t other = 0;
      bool inside = true;
      for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
        const bool moves = axis_ == "all" || axis_ == grid.axes[axis];
        const std::int64_t at = grid.at(cell, axis) + (moves ? k : 0);
        inside = inside && at >= 0 && at < grid.extents[axis];
        other = other * grid.extents[axis] + at;
      }
      if (inside)
        hold(&rows[static_cast<std::size_t>(cell * table_.width)],
             &rows[static_cast<std::size_t>(other * table_.width)], turns, worst);
    }
  }

  // The positions that have a row, and whose shifted ones have one.
  std::pair<PositionRange, PositionRange> rows_for(std::int64_t k) const {
    PositionRange rows = laws::existing(table_, question_.subject.span.positions);
    if (rows.decimals != 0) return {};
    if (table_.rows || question_.of_file) {
      const std::int64_t steps = rows.step == 0 ? 0 : k / rows.step;
      if (rows.step <= 0 || k % rows.step != 0 || std::abs(steps) >= rows.count) return {};
      const Index count = rows.count - std::abs(steps);
      return {rows.slice(steps < 0 ? -steps : 0, count), rows.slice(steps < 0 ? 0 : steps, count)};
    }
    PositionRange shifted = rows;
    shifted.first += k;
    return {rows, shifted};
  }

  const Question& question_;
  std::string axis_;  // that k counts along
  Table table_;
  std::vector<std::array<Index, 2>> columns_;
};

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
  begin({.what = fmt::format("{:.0f} rows x {:.0f} pairs x {:.0f} shifts", rows, pairs, each),
         .operations = rows * pairs * each,
         .per_second = 4e7,
         .levers = {{"length", rows}},
         .other = "fewer --k"});
}

Sheet turn_sheet(const Question& question, const std::vector<std::int64_t>& shifts) {
  const Shifting shifting = shifting_of(question);
  begin_turns(question, shifting, shifts.size());
  const Residuals residuals(question, shifting);
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
