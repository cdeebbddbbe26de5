// Axes in another order, bytes, positions that a file says, rows behind those that were asked for.
#include "pe/diagnosis/written.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/byte_order.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/printed.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/diagnosis/token_rows.hpp"
#include "pe/diagnosis/turn_matrices.hpp"
#include "pe/dialects/spell.hpp"

namespace pe {
namespace {

// A grid's table that stands [channel, row, column], as DETR keeps it, with the channels last.
void put_channels_last(Written& written) {
  const Table* table = std::get_if<Table>(&written.expected.effect);
  if (!table || !table->grid || table->grid->extents.empty()) return;
  std::vector<Index> first{table->width}, last = table->grid->extents;
  first.insert(first.end(), last.begin(), last.end());
  last.push_back(table->width);
  const auto ends_in = [](const std::vector<Index>& shape, const std::vector<Index>& tail) {
    return shape.size() >= tail.size() &&
           std::equal(tail.begin(), tail.end(), shape.end() - std::ssize(tail));
  };
  for (Stored& array : written.dump.arrays) {
    if (!ends_in(array.shape, first) || ends_in(array.shape, last)) continue;
    array = moved_last(array, array.shape.size() - first.size());
    written.note = "channels stand before rows and columns, as DETR keeps them";
  }
}

// A bias that stands [query, key, head], as it is before it is permuted for the scores, with its
// heads first.
void put_heads_first(Written& written) {
  const Bias* bias = std::get_if<Bias>(&written.expected.effect);
  if (!bias || bias->heads < 2) return;
  for (Stored& array : written.dump.arrays) {
    const std::vector<Index>& shape = array.shape;
    if (shape.size() < 3 || shape.back() != bias->heads) continue;
    const Index first = shape.end()[-3], second = shape.end()[-2];
    // As they stand: all heads, those of several sequences, or a rank's share.
    const bool are_heads =
        first % bias->heads == 0 || (bias->heads % first == 0 && first < bias->heads);
    if (first > second || (are_heads && second <= shape.back())) continue;
    for (int axis = 0; axis < 2; ++axis) array = moved_last(array, array.shape.size() - 3);
    constexpr Index few = Index{1} << 22;  // numbers that are held rather than gathered row by row
    if (array.size() <= few) array = stored(collect(array), array.name, array.shown);
    written.note = "heads stand behind queries and keys";
  }
}

// The positions of rows that nobody gave, where a column of the file says them.
void take_positions(Written& written) {
  Expectation& expected = written.expected;
  const auto truth = rotation_truth(expected.effect);
  const auto said = std::ranges::find(written.dump.arrays, "position", &Stored::name);
  if (said == written.dump.arrays.end() || said->shape.size() != 1 || said->size() < 2) return;
  const bool is_of_rows = std::ranges::any_of(written.dump.arrays, [&](const Stored& array) {
    return &array != &*said && !array.shape.empty() && array.shape[0] == said->size();
  });
  constexpr Index most = Index{1} << 22;
  if (!is_of_rows || said->size() > most) return;
  std::vector<double> places(static_cast<std::size_t>(said->size()));
  said->read(0, said->size(), places.data());
  written.dump.arrays.erase(said);
  if (expected.rows || expected.first != 0 || !truth || !truth->axis.empty() ||
      rows_of(expected.effect))
    return;

  const auto first = whole<std::int64_t>(places[0]), second = whole<std::int64_t>(places[1]);
  if (!first || !second || *first == *second || (*first == 0 && *second == 1)) return;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != places[0] + static_cast<double>(i) * (places[1] - places[0])) return;
  expected.first = *first;
  expected.step = *second - *first;
  written.note =
      fmt::format("rows stand at positions {} to {}, as the file says", *first, places.back());
}

// What stands along an axis of a table beside it, as a CSV of grids has.
void leave_out_coordinates(Dump& dump) {
  const std::vector<Stored> all = dump.arrays;
  std::erase_if(dump.arrays, [&](const Stored& one) {
    return one.shape.size() == 1 && names_coordinates(one.name) &&
           std::ranges::any_of(all, [&](const Stored& other) {
             return other.shape.size() > 1 &&
                    std::ranges::find(other.shape, one.shape[0]) != other.shape.end();
           });
  });
}

// Where one array's bytes stand the other way round, all that are read so.
void put_bytes_right(Written& written) {
  for (Stored& array : written.dump.arrays) {
    if (!has_bytes_reversed(array)) continue;
    array = with_bytes_reversed(array);
    written.reason = Reason{Cause::byte_order,
                            fmt::format("the bytes of each {} number stand in the other order than "
                                        "the format says",
                                        name_of(array.dtype))};
  }
}

bool is_zero_row(const Stored& array, Index row, std::vector<double>& values) {
  const Index width = array.size() / array.shape[0];
  values.resize(static_cast<std::size_t>(width));
  array.read(row * width, width, values.data());
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

// Rows behind those that were asked for that hold nothing but zeros: memory for longer contexts.
void leave_out_unwritten(Written& written) {
  const Expectation& expected = written.expected;
  if (!expected.rows || !written.dump.before.empty() || written.dump.arrays.empty() ||
      (kind_of(expected.effect) != Kind::rotation && kind_of(expected.effect) != Kind::table))
    return;
  std::vector<Stored> arrays = written.dump.arrays;
  for (Stored& array : arrays) array.shape = squeezed(array.shape);
  const Index rows = arrays[0].shape.empty() ? 0 : arrays[0].shape[0];
  if (rows <= *expected.rows || std::ranges::any_of(arrays, [&](const Stored& array) {
        return array.shape.size() != 2 || array.shape[0] != rows;
      }))
    return;
  Index end = rows;
  std::vector<double> values;
  const auto is_zero = [&](const Stored& array) { return is_zero_row(array, end - 1, values); };
  while (end > *expected.rows && std::ranges::all_of(arrays, is_zero)) --end;
  if (end == rows) return;
  for (Stored& array : arrays) array = rows_of(array, 0, 0, end);
  written.dump.arrays = std::move(arrays);
  written.note = fmt::format("rows {}–{}, behind the {} that were asked for, hold zeros", end,
                             rows - 1, *expected.rows);
}

// Rows of a table that were written one after another along one axis.
void put_rows_apart(Written& written) {
  const Table* table = std::get_if<Table>(&written.expected.effect);
  if (!table || written.dump.arrays.size() != 1) return;
  Stored& array = written.dump.arrays[0];
  const Index size = array.size(), rows = written.expected.rows.value_or(size / table->width);
  if (squeezed(array.shape).size() != 1 || array.is_complex || table->width < 2 ||
      size != rows * table->width || rows < 2)
    return;
  array.shape = {rows, table->width};
}

// Rotations that each pair has as a matrix, as cosines and sines.
void take_matrices(Written& written) {
  if (!is_of_turns(written.expected.effect) || !written.dump.before.empty() ||
      written.dump.arrays.size() != 1)
    return;
  auto matrices = turn_matrices(written.dump.arrays[0]);
  if (!matrices) return;
  written.dump.arrays[0] = std::move(matrices->turns);
  written.reason = std::move(matrices->reason);
  written.note = "each pair's turn is a matrix of 2 x 2, of which the first column was read";
}

}  // namespace

Written as_written(const Expectation& expected, Dump dump) {
  const bool turns = is_of_turns(expected.effect);
  Written written{expected, std::move(dump)};
  put_bytes_right(written);
  for (auto* arrays : {&written.dump.arrays, &written.dump.before})
    *arrays = typed(std::move(*arrays), turns);
  take_matrices(written);
  put_rows_apart(written);
  take_positions(written);
  leave_out_coordinates(written.dump);

  put_channels_last(written);
  put_heads_first(written);

  leave_out_tokens(written);
  leave_out_unwritten(written);
  return written;
}

}  // namespace pe
