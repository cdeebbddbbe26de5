// Which numbers of a line lie on one circle, or in waves, and how long its rows are.
#include "pe/diagnosis/flat_turns.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "pe/diagnosis/rotations/likelihood.hpp"
#include "pe/kinds/rotation.hpp"

namespace pe {
namespace {

using Numbers = std::vector<double>;

Numbers numbers_of(const Stored& array, Index first, Index count) {
  Numbers numbers(static_cast<std::size_t>(count));
  array.read(first, count, numbers.data());
  return numbers;
}

// Whether nearly all of the first numbers and the second ones, each with its partner, lie as far
// from 0 as the first do.
bool is_circle(std::span<const double> first, std::span<const double> second) {
  constexpr double near = 0.05, nearly_all = 0.9;
  if (first.empty()) return false;
  const double radius = std::hypot(first[0], second[0]);
  std::size_t on = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    on += std::fabs(std::hypot(first[i], second[i]) - radius) <= near * radius;
  return radius > 0 && static_cast<double>(on) >= nearly_all * static_cast<double>(first.size());
}

// Whether each number of these rows, of two for each pair, stands there twice.
bool stands_twice(const Numbers& rows, Index pairs) {
  const auto n = static_cast<std::size_t>(pairs);
  bool by_halves = true, by_neighbours = true;
  for (std::size_t start = 0; start + 2 * n <= rows.size(); start += 2 * n)
    for (std::size_t j = 0; j < n; ++j) {
      by_halves = by_halves && rows[start + j] == rows[start + n + j];
      by_neighbours = by_neighbours && rows[start + 2 * j] == rows[start + 2 * j + 1];
    }
  return by_halves || by_neighbours;
}

// How many numbers a row of one side has; 0 where it is no line of rows.
Index width_of(const Stored& side, Index first, Index size, Index pairs,
               const Expectation& expected) {
  constexpr Index looked_at = 8;
  if (size % pairs != 0 || size / pairs < 3) return 0;
  if (size % (2 * pairs) != 0 || (expected.rows && size == *expected.rows * pairs)) return pairs;
  const Index rows = std::min(looked_at, size / (2 * pairs));
  return stands_twice(numbers_of(side, first, rows * 2 * pairs), pairs) ? 2 * pairs : pairs;
}

// Numbers of a row of both sides: partners stand behind one another, or beside one another.
bool has_rows_of_both(const Stored& array, Index pairs) {
  const Numbers some = numbers_of(array, 0, std::min<Index>(array.size(), 16 * pairs));
  const auto n = static_cast<std::size_t>(pairs);
  Numbers halves[2], neighbours[2];
  for (std::size_t start = 0; start + 2 * n <= some.size(); start += 2 * n)
    for (std::size_t j = 0; j < n; ++j)
      for (const std::size_t side : {0u, 1u}) {
        halves[side].push_back(some[start + side * n + j]);
        neighbours[side].push_back(some[start + 2 * j + side]);
      }
  return is_circle(halves[0], halves[1]) || is_circle(neighbours[0], neighbours[1]);
}

// Whether nearly all columns of one side are waves, each of one step from row to row.
bool has_waves(const Dump& rows, const Rotation& rotation) {
  constexpr double nearly_all = 0.9;
  RotationReading reading;
  reading.rows = rows.arrays[0].shape[0];
  reading.width = rows.arrays[0].shape[1];
  double largest = 0;
  for (const double x : numbers_of(rows.arrays[0], 0, std::min<Index>(rows.arrays[0].size(), 4096)))
    largest = std::max(largest, std::fabs(x));
  return waviness(rows, reading, rotation.magnitude, largest) >= nearly_all;
}

bool is_line(const Stored& array) {
  return squeezed(array.shape).size() == 1 && !is_integer(array.dtype) && !array.is_complex;
}

}  // namespace

std::optional<Dump> with_rows(const Expectation& expected, const Dump& dump) {
  constexpr Index most = 4096;  // numbers that are looked at
  const Rotation* rotation = std::get_if<Rotation>(&expected.effect);
  if (!rotation || rotation->pairs < 2 || !dump.before.empty() || !expected.layout.empty() ||
      dump.arrays.empty() || dump.arrays.size() > 2 || !std::ranges::all_of(dump.arrays, is_line))
    return {};
  const Index pairs = rotation->pairs;
  const Stored &first = dump.arrays.front(), &last = dump.arrays.back();
  const bool is_one = dump.arrays.size() == 1;
  if (is_one && has_rows_of_both(first, pairs)) return {};
  const auto reshaped = [&](std::vector<Index> shape) {
    Dump rows = dump;
    for (Stored& array : rows.arrays) array.shape = shape;
    return rows;
  };
  if (is_one && first.size() % 2 == 0) {
    const Index size = first.size() / 2, width = width_of(first, 0, size, pairs, expected),
                seen = std::min(size, most);
    if (width > 0 && is_circle(numbers_of(first, 0, seen), numbers_of(first, size, seen)))
      return reshaped({2, size / width, width});
  }
  const Index size = first.size(), width = width_of(first, 0, size, pairs, expected),
              seen = std::min(size, most);
  if (last.size() != size || width == 0) return {};
  const auto meant = rotation->coordinates && rotation->coordinates->count
                         ? rotation->coordinates->count
                         : expected.rows;
  const bool is_as_meant = meant && size == *meant * width;
  Dump rows = reshaped({size / width, width});
  const bool is_read = is_one ? is_as_meant || has_waves(rows, *rotation)
                              : is_circle(numbers_of(first, 0, seen), numbers_of(last, 0, seen));
  return is_read ? std::optional(std::move(rows)) : std::nullopt;
}

}  // namespace pe
