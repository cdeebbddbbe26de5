// Which row is the padding token's, and what is right but for it.
#include "pe/diagnosis/padding_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {
namespace {

// Rows of channels alone, [row, channel]; no rows where it is none.
Index rows_of(const Stored& array) {
  const std::vector<Index> shape = squeezed(array.shape);
  return shape.size() == 2 && !is_integer(array.dtype) ? shape[0] : 0;
}

bool is_zero_row(const Stored& array, Index row) {
  std::vector<double> values(static_cast<std::size_t>(squeezed(array.shape)[1]));
  array.read(row * std::ssize(values), std::ssize(values), values.data());
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

// The array with one row that is held to nothing.
Stored without_row(const Stored& array, Index row) {
  Stored other = at_hand(array);
  const Index width = squeezed(array.shape)[1];
  other.dtype = DType::f64;
  other.fill = [array, row, width](Index first, Index count, std::byte* out) {
    auto* values = reinterpret_cast<double*>(out);
    array.read(first, count, values);
    for (Index i = std::max(first, row * width); i < std::min(first + count, (row + 1) * width);
         ++i)
      values[i - first] = std::numeric_limits<double>::quiet_NaN();
  };
  return narrowed(other, array.dtype);
}

bool has(const Diagnosis& told, Cause cause) {
  return std::ranges::find(told.reasons, cause, &Reason::cause) != told.reasons.end();
}

}  // namespace

Diagnosis with_padding_token(const Expectation& expected, const Dump& dump, Diagnosis told,
                             const DumpJudge& judge) {
  if (!has(told, Cause::padding_row_zero) || !expected.parameters.has("offset") ||
      dump.arrays.size() != 1 || !dump.before.empty())
    return told;
  const Stored& array = dump.arrays[0];
  const std::int64_t offset = expected.parameters.integer("offset");
  const Index rows = rows_of(array), row = -1 - expected.first;  // at position −1
  if (offset > 0 && expected.step == 1 && row >= 0 && row < rows && is_zero_row(array, row)) {
    Diagnosis other = judge({{without_row(array, row)}, {}, true});
    if (other.tier != Tier::wrong || !has(other, Cause::padding_row_zero)) {
      other.notes.push_back(fmt::format(
          "row {}, at position -1, is the padding token's, and zero as its module keeps it", row));
      return other;
    }
  }
  // A buffer from its first row on holds index r at row r.
  constexpr Index most = 2;  // padding indices in use are 0 and 1
  for (Index padding = 0; padding < std::min(most, rows); ++padding) {
    const bool is_meant_there = offset == padding + 1 || offset == 0;
    if (!is_meant_there || expected.first != 0 || !is_zero_row(array, padding)) continue;
    if (offset > 0 && !has(told, Cause::position_offset)) continue;
    told.notes.push_back(fmt::format(
        "right as the whole buffer of a module whose padding token is {} ({}--positions {}:{})",
        padding, offset > 0 ? "" : fmt::format("--offset {} ", padding + 1), -padding - 1,
        rows - padding - 1));
  }
  return told;
}

}  // namespace pe
