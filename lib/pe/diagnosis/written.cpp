// Types that text forgets, and rows of tokens that stand nowhere on a grid.
#include "pe/diagnosis/written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pe/diagnosis/rotations/hypothesis.hpp"
#include "pe/dialects/spell.hpp"

namespace pe {

namespace {

// Text has no types: doubles that are all the shortest decimals of float32 numbers were float32
// numbers.
bool prints_floats(const Stored& array) {
  constexpr Index most = 1 << 16;
  if (array.dtype != DType::f64 || array.size() == 0) return false;
  std::vector<double> values(static_cast<std::size_t>(std::min(array.size(), most)));
  array.read(0, static_cast<Index>(values.size()), values.data());
  bool longer = false;  // some value is not the float32 number itself
  for (const double value : values) {
    const auto narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) == value || std::isnan(value)) continue;
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, narrow).ptr;
    double again = 0;
    std::from_chars(text, end, again);
    if (again != value) return false;
    longer = true;
  }
  return longer;
}

// Turns are no whole numbers: 16-bit integers are the bits of bfloat16 numbers.
std::vector<Stored> typed(std::vector<Stored> arrays, bool turns) {
  for (Stored& array : arrays) {
    if (prints_floats(array)) array = as_float32(array);
    if (turns && array.u16) array = as_bf16(array);
  }
  return arrays;
}

// How many rows an axis has more than a grid has cells, as class tokens and registers are many.
constexpr Index most_tokens = 64;

std::optional<std::size_t> longer_axis(const Stored& array, Index cells) {
  if (array.shape.size() < 2) return {};
  const std::span<const Index> axes(array.shape.data(), array.shape.size() - 1);
  if (std::ranges::find(axes, cells) != axes.end()) return {};
  const auto longer = std::ranges::find_if(
      axes, [&](Index extent) { return extent > cells && extent <= cells + most_tokens; });
  if (longer == axes.end()) return {};
  return static_cast<std::size_t>(longer - axes.begin());
}

// Whether the first rows along an axis hold nothing: zeros, or the same numbers as `before`.
bool holds_nothing(const Stored& array, const Stored* before, std::size_t axis, Index rows) {
  Index outer = 1, inner = 1;
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : array.shape[i];
  std::vector<double> values(static_cast<std::size_t>(rows * inner)), other(values.size(), 0);
  for (Index block = 0; block < outer; ++block) {
    const Index first = block * array.shape[axis] * inner;
    array.read(first, rows * inner, values.data());
    if (before) before->read(first, rows * inner, other.data());
    if (values != other) return false;
  }
  return true;
}

Index drop_tokens(const Expectation& expected, Dump& dump) {
  const Coordinates* grid = coordinates_of(expected.effect);
  const bool is_table = kind_of(expected.effect) == Kind::table;
  if (!grid || !grid->count || expected.first != 0 || dump.arrays.empty() ||
      is_table != dump.before.empty() || (expected.rows && *expected.rows != *grid->count))
    return 0;
  const auto axis = longer_axis(dump.arrays[0], *grid->count);
  if (!axis) return 0;
  const Index tokens = dump.arrays[0].shape[*axis] - *grid->count;
  for (std::size_t i = 0; i < dump.arrays.size(); ++i) {
    const Stored* before = is_table ? nullptr : &dump.before[i];
    if (dump.arrays[i].shape != dump.arrays[0].shape ||
        (before && before->shape != dump.arrays[0].shape) ||
        !holds_nothing(dump.arrays[i], before, *axis, tokens))
      return 0;
  }
  for (auto* arrays : {&dump.arrays, &dump.before})
    for (Stored& array : *arrays) array = rows_of(array, *axis, tokens, *grid->count);
  return tokens;
}

}  // namespace

Written as_written(const Expectation& expected, const Dump& dump) {
  const bool turns = rotation_truth(expected.effect).has_value();
  Written written{{typed(dump.arrays, turns), typed(dump.before, turns)}};
  written.tokens = drop_tokens(expected, written.dump);
  return written;
}

std::string spell_tokens(Index tokens) {
  return fmt::format("{} of no position {} before the grid's, as a class token's",
                     tokens == 1 ? "1 row" : fmt::format("{} rows", tokens),
                     tokens == 1 ? "stands" : "stand");
}

}  // namespace pe
