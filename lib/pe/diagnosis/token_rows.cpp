// Rows of class tokens and registers, by where a dump holds nothing.
#include "pe/diagnosis/token_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "pe/diagnosis/causes.hpp"

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

}  // namespace

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

}  // namespace pe
