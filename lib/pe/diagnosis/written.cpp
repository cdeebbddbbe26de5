// Axes in another order, rows of tokens that stand nowhere on a grid, positions that a file says.
#include "pe/diagnosis/written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/byte_order.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/printed.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/diagnosis/turn_matrices.hpp"
#include "pe/dialects/spell.hpp"

namespace pe {

namespace {

// How many rows an axis has more than a grid has cells, as class tokens, registers and the text
// before a picture are many (FLUX has 512), where nobody says how many there are.
constexpr Index most_tokens = 4096;

Tokens tokens_of(const Effect& effect) {
  const Table* table = std::get_if<Table>(&effect);
  const Rotation* rotation = std::get_if<Rotation>(&effect);
  return table ? table->tokens : rotation ? rotation->tokens : Tokens{};
}

// Where a dump's rows stand, and how many there are.
struct Rows {
  std::size_t axis = 0;
  Index count = 0;
};

std::optional<Rows> rows_beyond(const Stored& array, Index cells, Index tokens) {
  if (array.shape.size() < 2) return {};
  const std::span<const Index> axes(array.shape.data(), array.shape.size() - 1);
  if (std::ranges::find(axes, cells) != axes.end()) return {};
  const auto longer = std::ranges::find_if(axes, [&](Index extent) {
    return tokens > 0 ? extent == cells + tokens : extent > cells && extent <= cells + most_tokens;
  });
  if (longer == axes.end()) return {};
  return Rows{static_cast<std::size_t>(longer - axes.begin()), *longer};
}

// Rows of every array, one array after the other.
std::vector<double> numbers(const std::vector<Stored>& arrays, const Rows& rows, Index first,
                            Index count) {
  std::vector<double> all;
  for (const Stored& array : arrays) {
    const Stored part = rows_of(array, rows.axis, first, count);
    const std::size_t before = all.size();
    all.resize(before + static_cast<std::size_t>(part.size()));
    part.read(0, part.size(), all.data() + before);
  }
  return all;
}

// Rows that do not turn, in any layout: ones and as many zeros of cosines and sines, or zeros of
// angles.
bool is_still(const std::vector<double>& values, bool angles) {
  Index ones = 0;
  for (const double value : values) {
    if (value != 0 && value != 1) return false;
    ones += value == 1 ? 1 : 0;
  }
  return angles ? ones == 0 : 2 * ones == std::ssize(values);
}

// No cosine is beyond 1, and angles far from a grid's first cell are.
bool holds_angles(const Dump& dump, const Rows& rows) {
  if (dump.arrays.size() > 1) return false;
  const Index first = rows.count * 3 / 4;
  return std::ranges::any_of(
      numbers(dump.arrays, rows, first, std::min<Index>(rows.count - first, 16)),
      [](double value) { return std::fabs(value) > 1; });
}

// Whether so many rows hold nothing: zeros of a table, the same numbers as before, no turn.
bool hold_nothing(const Dump& dump, bool is_table, const Rows& rows, Index first, Index count) {
  if (count == 0) return true;
  const std::vector<double> values = numbers(dump.arrays, rows, first, count);
  if (is_table) return std::ranges::all_of(values, [](double value) { return value == 0; });
  return dump.before.empty() ? is_still(values, holds_angles(dump, rows))
                             : values == numbers(dump.before, rows, first, count);
}

bool are_alike(const Dump& dump) {
  const auto alike = [&](const Stored& array) { return array.shape == dump.arrays[0].shape; };
  return !dump.arrays.empty() && std::ranges::all_of(dump.arrays, alike) &&
         std::ranges::all_of(dump.before, alike) &&
         (dump.before.empty() || dump.before.size() == dump.arrays.size());
}

// The last rows that hold nothing stand behind the cells, the others before them: the first cell of
// a grid may hold nothing, too.
Tokens seen_tokens(const Dump& dump, bool is_table, const Rows& rows, Index count) {
  Tokens tokens;
  while (tokens.behind < count &&
         hold_nothing(dump, is_table, rows, rows.count - 1 - tokens.behind, 1))
    ++tokens.behind;
  tokens.before = count - tokens.behind;
  for (Index row = 0; row < tokens.before; ++row)
    if (!hold_nothing(dump, is_table, rows, row, 1)) return {};
  return tokens;
}

std::string counted_rows(Index count) {
  return count == 1 ? "1 row" : fmt::format("{} rows", count);
}

std::string note_on(const Tokens& tokens, bool is_grid) {
  const std::string_view whose = is_grid ? "the grid's" : "the others",
                         stand = tokens.count() == 1 ? "stands" : "stand";
  const std::string rows = counted_rows(tokens.count());
  if (tokens.before > 0 && tokens.behind > 0)
    return fmt::format("{} of no position {} beside {}, {} before and {} behind", rows, stand,
                       whose, tokens.before, tokens.behind);
  return fmt::format("{} of no position {} {} {}, as a class token's", rows, stand,
                     tokens.before > 0 ? "before" : "behind", whose);
}

Reason filled(Index count, bool is_table) {
  const std::string rows = count == 1
                               ? "the row of a token without a position"
                               : fmt::format("the {} rows of tokens without a position", count);
  const std::string_view plural = count == 1 ? "s" : "";
  return {Cause::token_rows,
          is_table ? fmt::format("{} hold{} numbers, where zeros are meant", rows, plural)
                   : fmt::format("{} turn{}, where no turn is meant", rows, plural)};
}

// Whether tokens stand where a dump holds nothing.
bool stand_so(const Dump& dump, bool is_table, const Rows& rows, const Tokens& tokens) {
  return hold_nothing(dump, is_table, rows, 0, tokens.before) &&
         hold_nothing(dump, is_table, rows, rows.count - tokens.behind, tokens.behind);
}

Reason misplaced(const Tokens& asked) {
  const bool one = asked.count() == 1;
  return {Cause::token_rows,
          fmt::format("the row{} of {} without a position stand{} {} the others, and {} meant {} "
                      "them",
                      one ? "" : "s", one ? "a token" : "tokens", one ? "s" : "",
                      asked.before > 0 ? "behind" : "before", one ? "is" : "are",
                      asked.before > 0 ? "before" : "behind")};
}

// Where rows of tokens stand in the dump, if they do.
std::optional<Rows> rows_with_tokens(const Written& written, const Tokens& asked) {
  const Expectation& expected = written.expected;
  const Coordinates* grid = coordinates_of(expected.effect);
  if (expected.step != 1 || expected.first != 0 || !are_alike(written.dump)) return {};
  if (grid && grid->count) {
    const Index cells = *grid->count;
    if (expected.rows && *expected.rows != cells && *expected.rows != cells + asked.count())
      return {};
    return rows_beyond(written.dump.arrays[0], cells, asked.count());
  }
  const std::vector<Index>& shape = written.dump.arrays[0].shape;
  if (asked.count() == 0 || shape.size() < 2 || shape.end()[-2] <= asked.count()) return {};
  if (expected.rows && *expected.rows > shape.end()[-2]) return {};  // more than asked are right
  return Rows{shape.size() - 2, shape.end()[-2]};
}

// Whether a grid's table has its cells and nothing else.
bool lacks_tokens(const Written& written, const Coordinates* grid) {
  if (!grid || !grid->count || !are_alike(written.dump) || written.expected.first != 0 ||
      written.expected.rows)
    return false;
  const std::vector<Index>& shape = written.dump.arrays[0].shape;
  return shape.size() == 2 && shape[0] == *grid->count;
}

void leave_out_tokens(Written& written) {
  const Tokens asked = tokens_of(written.expected.effect);
  const bool is_table = kind_of(written.expected.effect) == Kind::table;
  const Coordinates* grid = coordinates_of(written.expected.effect);
  if (asked.count() > 0 && written.expected.first >= asked.before && written.expected.first > 0) {
    written.expected.first -= asked.before;  // the run asked for begins behind the tokens
    return;
  }
  const auto rows = rows_with_tokens(written, asked);
  if (!rows && asked.count() > 0 && lacks_tokens(written, grid))
    written.reason =
        Reason{Cause::table_short,
               fmt::format("{} of a token without a position: {} meant",
                           asked.count() == 1 ? "there is no row" : "there are no rows",
                           asked.count() == 1 ? "one is" : fmt::format("{} are", asked.count()))};
  if (!rows) return;
  Tokens tokens = asked.count() > 0
                      ? asked
                      : seen_tokens(written.dump, is_table, *rows, rows->count - *grid->count);
  if (tokens.count() == 0) return;
  const Tokens other{.before = tokens.behind, .behind = tokens.before};
  if (!stand_so(written.dump, is_table, *rows, tokens) &&
      stand_so(written.dump, is_table, *rows, other)) {
    written.reason = misplaced(tokens);
    tokens = other;
  }
  for (const auto& [first, count] :
       {std::pair{Index{0}, tokens.before}, std::pair{rows->count - tokens.behind, tokens.behind}})
    if (!hold_nothing(written.dump, is_table, *rows, first, count))
      written.reason = filled(count, is_table);
  if (written.expected.rows && (!grid || *written.expected.rows != *grid->count))
    *written.expected.rows -= tokens.count();
  for (auto* arrays : {&written.dump.arrays, &written.dump.before})
    for (Stored& array : *arrays)
      array = rows_of(array, rows->axis, tokens.before, rows->count - tokens.count());
  written.tokens = tokens;
  written.note = note_on(tokens, grid != nullptr);
}

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
  take_positions(written);
  leave_out_coordinates(written.dump);

  put_channels_last(written);
  put_heads_first(written);

  leave_out_tokens(written);
  leave_out_unwritten(written);
  return written;
}

}  // namespace pe
