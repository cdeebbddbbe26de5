// How rows of a grid move on: every number, or turn, with one axis.
#include "pe/diagnosis/identify/grid_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/narrow.hpp"
#include "pe/base/spread.hpp"

namespace pe {
namespace {

constexpr Index most_tokens = 16, most_text = 4096;

// Where a cell of a grid stands among the rows; patches come in blocks of `merge` squared.
Index row_of_cell(const Grid& grid, const Grid& cell, Index merge) {
  const std::size_t r = grid.size() - 2, c = grid.size() - 1;
  const Index frame = grid.size() == 3 ? cell[0] : 0,
              block = cell[r] / merge * (grid[c] / merge) + cell[c] / merge;
  return frame * grid[r] * grid[c] + block * merge * merge + cell[r] % merge * merge +
         cell[c] % merge;
}

// Which channel goes with which in the vectors of `width` channels: neighbours, or halves of the
// whole, of two sections, or of three.
std::vector<std::vector<std::pair<Index, Index>>> pairings_of(Index width) {
  std::vector<std::vector<std::pair<Index, Index>>> all(1);
  for (Index i = 0; i + 1 < width; i += 2) all[0].emplace_back(i, i + 1);
  for (const Index sections : {1, 2, 3}) {
    if (width % (2 * sections) != 0) continue;
    const Index size = width / sections;
    all.emplace_back();
    for (Index first = 0; first < width; first += size)
      for (Index i = 0; i < size / 2; ++i) all.back().emplace_back(first + i, first + i + size / 2);
  }
  return all;
}

// The turns of the pairs of one vector into another, cosines and sines in turn. A pair whose square
// is less than `least` tells none: 0.
std::vector<double> turns_of(const std::vector<double>& before, const std::vector<double>& after,
                             const std::vector<std::pair<Index, Index>>& pairs, double least) {
  std::vector<double> turns;
  for (const auto& [i, j] : pairs) {
    const auto at = [](const std::vector<double>& x, Index k) {
      return x[static_cast<std::size_t>(k)];
    };
    const double a = at(before, i), b = at(before, j), c = at(after, i), d = at(after, j),
                 square = a * a + b * b;
    turns.push_back(square > least ? (a * c + b * d) / square : 0);
    turns.push_back(square > least ? (a * d - b * c) / square : 0);
  }
  return turns;
}

// Whether nearly all pairs keep their length, to within `far`.
bool are_turns(const std::vector<double>& turns, double far) {
  std::size_t on = 0;
  for (std::size_t j = 0; j < turns.size(); j += 2) {
    const double length = std::hypot(turns[j], turns[j + 1]);
    on += length == 0 || std::fabs(length - 1) < far;
  }
  return 10 * 2 * on >= 9 * turns.size();
}

// Whether vectors are sums of so many, by what is left of each beside those before.
bool are_sums_of(std::size_t most, std::vector<std::vector<double>> rows) {
  std::vector<std::vector<double>> basis;
  for (std::vector<double>& row : rows) {
    const double length = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    for (int twice = 0; twice < 2; ++twice)
      for (const std::vector<double>& one : basis) {
        const double along = std::inner_product(row.begin(), row.end(), one.begin(), 0.0);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] -= along * one[k];
      }
    const double left = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    constexpr double nothing = 1e-4;  // of a length squared, that bfloat16 leaves
    if (!(left > nothing * length)) continue;
    for (double& x : row) x /= std::sqrt(left);
    basis.push_back(std::move(row));
    if (basis.size() > most) return false;
  }
  return true;
}

}  // namespace

bool may_be_turns(const Stored& array) {
  constexpr Index some = 12;
  constexpr double far = 2, alike = 0.05;
  constexpr std::size_t axes = 3;
  if (array.shape.empty() || array.is_complex) return true;
  const Index width = array.shape.back(), count = width > 0 ? array.size() / width : 0;
  double largest = 0, shortest = HUGE_VAL, longest = 0;
  std::vector<std::vector<double>> rows;
  for (const Index row : spread_over(count, some)) {
    std::vector<double> values(static_cast<std::size_t>(width));
    array.read(row * width, width, values.data());
    if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) return true;
    const double length =
        std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
    if (length == 0) continue;  // a token of no position
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    for (const double x : values) largest = std::max(largest, std::fabs(x));
    rows.push_back(std::move(values));
  }
  return largest <= far || longest <= (1 + alike) * shortest || are_sums_of(axes, std::move(rows));
}

GridLikelihood::GridLikelihood(Kept<Dump> dump, Index rows, bool complex) {
  const Stored& array = dump.get().arrays[0];
  if (!dump.get().before.empty()) {
    add_turns(dump, rows);
    return;
  }
  const Index width = array.shape.back() * (complex ? array.shape.end()[-2] : 1),
              spare = array.size() / width - rows;
  const auto may_count = [&](Index extent) { return extent >= rows && extent <= rows + most_text; };
  tokens_ = spare;
  Index stride = width;
  // Of several sequences or heads the first, where one axis alone may count the rows.
  const auto channels = array.shape.end() - (complex ? 2 : 1),
             axis = std::find_if(array.shape.begin(), channels, may_count);
  if (!may_count(rows + spare) && axis != channels &&
      std::find_if(axis + 1, channels, may_count) == channels) {
    tokens_ = *axis - rows;
    for (auto inner = axis + 1; inner != channels; ++inner) stride *= *inner;
  }
  is_known_ = tokens_ >= 0 && tokens_ <= most_text;
  rounding_ = 8 * std::max(unit_roundoff(array.dtype), 0x1p-24);
  readers_.push_back([&array, width, stride](Index row) {
    Row values(static_cast<std::size_t>(width));
    array.read(row * stride, width, values.data());
    return values;
  });
}

// Vectors of the first sequence and head, in every pairing in which they are turns.
void GridLikelihood::add_turns(const Dump& dump, Index rows) {
  const Stored &before = dump.before[0], &after = dump.arrays[0];
  const auto counts = [&](Index extent) { return extent == rows || extent == rows + 1; };
  const auto channels = after.shape.end() - 1,
             axis = std::find_if(after.shape.begin(), channels, counts);
  const bool is_one_axis = axis != channels && std::find_if(axis + 1, channels, counts) == channels;

  if (!is_one_axis || before.shape != after.shape) return;
  const Index width = after.shape.back();
  Index stride = width;
  for (auto inner = axis + 1; inner != channels; ++inner) stride *= *inner;
  // In a short type a pair that is small beside its vector turns by the rounding of that.
  const double unit = std::max(unit_roundoff(before.dtype), unit_roundoff(after.dtype));
  const bool is_short = unit >= short_unit;
  rounding_ = std::max(1e-4, 8 * unit);
  tokens_ = *axis - rows;
  bool is_turned = true;  // in some pairing: lengths say so
  for (const auto& pairs : pairings_of(width)) {
    Reader read = [&before, &after, width, stride, pairs, is_short](Index row) {
      Row x(static_cast<std::size_t>(width)), y(x.size());
      before.read(row * stride, width, x.data());
      after.read(row * stride, width, y.data());
      const double square = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
      return turns_of(x, y, pairs, is_short ? square / (5 * static_cast<double>(width)) : 1e-4);
    };
    const double far = std::max(1e-2, rounding_);
    if (are_turns(read(0), far) && are_turns(read(rows / 2), far) && are_turns(read(rows - 1), far))
      readers_.push_back(std::move(read));
  }
  for (const Index row : {Index{0}, rows / 2, rows - 1}) {
    Row x(static_cast<std::size_t>(width)), y(x.size());
    before.read(row * stride, width, x.data());
    after.read(row * stride, width, y.data());
    const double ratio = std::sqrt(std::inner_product(y.begin(), y.end(), y.begin(), 0.0) /
                                   std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    is_turned = is_turned && !(std::fabs(ratio - 1) > 1e-2);
  }
  is_known_ = !readers_.empty() || !is_turned;
}

bool GridLikelihood::may_be(const Grid& grid, Index merge) const {
  if (!is_known_) return true;
  const auto moves_alone = [&](const Reader& read, const Grid& cell, Index tokens) {
    const Row here = read(tokens + row_of_cell(grid, cell, merge));
    std::vector<int> moves(here.size());
    for (std::size_t axis = 0; axis < grid.size(); ++axis) {
      if (grid[axis] < 2) continue;
      Grid next = cell;
      ++next[axis];
      const Row there = read(tokens + row_of_cell(grid, next, merge));
      for (std::size_t i = 0; i < here.size(); ++i)
        moves[i] += std::fabs(there[i] - here[i]) > rounding_ * std::max(1.0, std::fabs(here[i]));
    }
    return 10 * std::ranges::count_if(moves, [](int count) { return count > 1; }) <=
           std::ssize(moves);
  };
  for (const Reader& read : readers_)
    for (Index tokens = 0; tokens <= tokens_; ++tokens) {
      if (tokens > most_tokens) tokens = tokens_;  // of text, all before the first cell
      for (const Index part : {0, 1, 2}) {         // the first cell, the second one, the middle
        Grid cell;
        for (const Index extent : grid)
          cell.push_back(std::max<Index>(0, std::min(part == 2 ? extent / 2 : part, extent - 2)));
        if (moves_alone(read, cell, tokens)) return true;
      }
    }
  return false;
}

}  // namespace pe
