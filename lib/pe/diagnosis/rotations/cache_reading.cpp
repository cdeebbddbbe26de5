// Readings of caches, angles and frequencies: every layout that the shapes allow.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/rotations/cache_layouts.hpp"
#include "pe/diagnosis/rotations/cache_names.hpp"
#include "pe/diagnosis/rotations/line_reading.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

// Rows and width of a cache: the last axis is the width, or the last two where it holds the parts
// of a turn.
std::pair<Index, Index> rows_of(const std::vector<Index>& shape, std::optional<Index> pairs) {
  const std::vector<Index> s = squeezed(shape);
  Index width = s.back();
  if (s.size() >= 2 && (width == 2 || s[s.size() - 2] == 2) &&
      (s.size() > 2 || (pairs && s[0] == *pairs)))
    width *= s[s.size() - 2];
  Index size = 1;
  for (const Index extent : s) size *= extent;
  return {width == 0 ? 0 : size / width, width};
}

// Where there are axes before that of the positions, the positions run anew for each.
void add_runs(std::vector<RotationReading>& all, const std::vector<Index>& shape) {
  const std::vector<Index> s = squeezed(shape);
  for (RotationReading& reading : all) {
    Index width = 1, last = static_cast<Index>(s.size());
    while (last > 0 && width < reading.width) width *= s[static_cast<std::size_t>(--last)];
    if (width == reading.width && last >= 2) reading.run = s[static_cast<std::size_t>(last - 1)];
  }
}

// Readings of turns that carry the scales of queries, or of keys, beside those that carry none.
void add_scales(std::vector<RotationReading>& all, const TurnQuestion& question) {
  if (!question.scaled) return;
  constexpr double unusual = 0.005;  // less than any cause
  std::vector<RotationReading> both;
  for (const RotationReading& bare : all) {
    if (bare.form != Form::turns || (!question.carried && !question.side)) both.push_back(bare);
    for (const Side side : {Side::query, Side::key}) {
      if (bare.form != Form::turns || question.side.value_or(side) != side) continue;
      both.push_back(bare);
      both.back().scales = side;
      both.back().side_said = question.side.has_value();
      both.back().cost += question.side ? 0 : side == Side::key ? 2 * unusual : unusual;
    }
  }
  all = std::move(both);
}

}  // namespace

bool is_table(const Stored& array) {
  return std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) > 1;
}

std::vector<RotationReading> turn_readings(const Dump& dump, std::optional<Index> pairs,
                                           const TurnQuestion& question) {
  std::vector<RotationReading> all;
  refuse_empty(dump.arrays);
  const std::vector<Stored>& arrays = dump.arrays;
  if (!dump.before.empty()) return vector_readings(dump, pairs, question);
  std::optional<std::size_t> cosine, sine;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool fused = says(arrays[i], "cos") && says(arrays[i], "sin");
    if (!cosine && says(arrays[i], "cos") && !fused) cosine = i;
    if (!sine && says(arrays[i], "sin") && !fused) sine = i;
  }
  std::vector<std::size_t> tables;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (is_table(arrays[i])) tables.push_back(i);
  // The rows of one position: two of one shape are its sides.
  if (tables.empty() && arrays.size() == 2 && arrays[0].shape == arrays[1].shape &&
      !is_coordinate(arrays[0]) && !is_coordinate(arrays[1]))
    tables = {0, 1};
  for (std::size_t i = 0; tables.empty() && i < arrays.size(); ++i)
    if (!is_coordinate(arrays[i])) tables.push_back(i);
  const std::size_t only = tables.empty() ? 0 : tables[0];
  if (tables.size() == 2 && !(cosine && sine)) {
    cosine = tables[0];
    sine = tables[1];
  }
  if (cosine && sine) {
    if (squeezed(arrays[*cosine].shape) != squeezed(arrays[*sine].shape))
      throw UsageError(fmt::format("{} is {} and {} is {}: cosines and sines must have one shape",
                                   arrays[*cosine].shown, spell_shape(arrays[*cosine].shape),
                                   arrays[*sine].shown, spell_shape(arrays[*sine].shape)));
    const std::vector<Index> shape = squeezed(arrays[*cosine].shape);
    // A single pair's column has an axis of its own, or none.
    const bool is_column = pairs == 1 && arrays[*cosine].shape.back() == 1;
    const Index width = is_column ? 1 : shape.back(), rows = arrays[*cosine].size() / width;
    add_two(all, rows, width, *cosine, *sine);
    add_mixed(all, arrays, rows, width, *cosine, *sine);
    add_blocks(all, question.blocks);
    add_runs(all, arrays[*cosine].shape);
    add_scales(all, question);
    return all;
  }
  if (arrays.size() != 1 && tables.size() != 1) {
    std::vector<std::string> names;
    for (const Stored& array : arrays)
      names.push_back(fmt::format("{} ({})", array.name, spell_shape(array.shape)));
    throw UsageError(
        fmt::format("{} arrays and no cos and sin among them: {}; name one as FILE:NAME",
                    arrays.size(), fmt::join(names, ", ")));
  }
  const std::vector<Index> shape = squeezed(arrays[only].shape);
  const auto [rows, width] = rows_of(arrays[only].shape, pairs);
  // Without the number of pairs one side is no less than a smaller table of both.
  if (!pairs && side_said_by(arrays[only]) && !arrays[only].is_complex)
    throw UsageError(fmt::format("{} holds one side of the turns: give both, --file cos --file sin",
                                 arrays[only].shown));
  if (shape.size() == 1) {
    add_line(all, arrays[only], shape[0], pairs, question.factors);
  } else {
    add_fused(all, arrays[only], rows, width, pairs);
    // Two rows of two pairs may be the parts of the turns of one row, or no parts at all.
    if (shape.size() == 2 && width != shape.back())
      add_fused(all, arrays[only], shape[0], shape[1], pairs);
    if (pairs && !arrays[only].is_complex) {
      add_one_side(all, arrays[only].size() / shape.back(), shape.back(), *pairs);
      add_blocks(all, question.blocks);
    }
  }
  for (RotationReading& reading : all) {
    reading.cosine.array = reading.sine.array = only;
    reading.misnamed = is_misnamed(arrays[only], reading.side) ||
                       (reading.layout == "sin-cos" && says_cosines_first(arrays[only]));
    reading.has_own_name = arrays[only].shown.ends_with(":" + arrays[only].name);
    for (auto* copy : {&reading.cosine_copy, &reading.sine_copy})
      if (*copy) (*copy)->array = only;
  }
  if (shape.size() > 1) add_runs(all, arrays[only].shape);
  add_scales(all, question);
  return all;
}

}  // namespace pe
