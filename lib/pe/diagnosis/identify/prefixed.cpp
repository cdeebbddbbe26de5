// Tables before whose rows those of tokens without a position stand.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/identify/rotations.hpp"

namespace pe {
namespace {

// The first rows that hold zeros alone.
Index leading_zeros(const Stored& array, Index rows, Index most) {
  const Index width = array.size() / rows;
  std::vector<double> row(static_cast<std::size_t>(width));
  for (Index r = 0; r < std::min(rows, most + 1); ++r) {
    array.read(r * width, width, row.data());
    if (std::ranges::any_of(row, [](double value) { return value != 0; })) return r;
  }
  return 0;
}

// The same command for a table with so many rows more.
void add_prefix(Identification& found, Index rows, Index tokens) {
  const std::string length = fmt::format("--length {}", rows - tokens);
  if (const std::size_t at = found.command.find(length); at != std::string::npos)
    found.command.replace(at, length.size(), fmt::format("--length {} --prefix {}", rows, tokens));
  found.parameters.push_back({.name = "prefix",
                              .text = std::to_string(tokens),
                              .origin = "identified",
                              .type = Parameter::Type::integer,
                              .tensor = {}});
  found.summary += fmt::format(", behind {} of tokens without a position",
                               tokens == 1 ? "a row" : fmt::format("{} rows", tokens));
}

}  // namespace

std::optional<Identification> identify_prefixed(const Dump& given, const std::string& layout) {
  constexpr Index most = 16, least = 4;  // rows of tokens; of positions
  if (!given.before.empty() || given.arrays.size() != 1 || given.arrays[0].is_complex) return {};
  Dump dump = given;
  Stored& array = dump.arrays[0];
  array.shape = squeezed(array.shape);
  if (array.shape.size() != 2) return {};
  const Index rows = array.shape[0], tokens = leading_zeros(array, rows, most);
  if (tokens == 0 || rows - tokens < least) return {};
  array = rows_of(array, 0, tokens, rows - tokens);
  auto found = identify_whole_turns(dump, layout);
  if (!found || found->step != 1) return {};
  const bool has_prefix = std::ranges::any_of(
      found->encoding->parameters,
      [](const Parameter& row) { return row.name == std::string_view("prefix"); });
  if (found->first == 0 && has_prefix) {
    add_prefix(*found, rows, tokens);
  } else if (found->first == tokens) {  // these rows have positions, and nothing in them
    found->first = 0;
    found->diagnosis.tier = Tier::wrong;
    found->diagnosis.arithmetic.clear();
    found->diagnosis.reasons.push_back(
        {Cause::padding_row_zero, tokens == 1 ? "row 0 holds zeros, as that of a padding token does"
                                              : fmt::format("rows 0–{} hold zeros", tokens - 1)});
  } else {
    return {};
  }
  return found;
}

}  // namespace pe
