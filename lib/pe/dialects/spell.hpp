// Spelling: an Effect over positions becomes Fields.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pe/kinds/effect.hpp"
#include "pe/model/field.hpp"

namespace pe {

/// A field that a kind can be spelled as.
struct FieldRow {
  std::string_view name;
  Kind kind;
  std::string_view description;
};
std::span<const FieldRow> all_fields();

/// Where an Effect is evaluated.
struct Span {
  PositionRange positions;  // of rows, queries and keys
  PositionRange offsets;    // of relative positions (key − query)
};
/// How many positions the effect has, from 0 on; none: every position.
std::optional<Index> rows_of(const Effect& effect);
/// Positions 0 … length−1 and every offset between two of them.
Span span_of_length(Index length);
/// The same run for positions and for offsets.
Span span_of(const PositionRange& positions);

/// The named fields (none named: the kind's usual ones), each filled on demand and rounded once to
/// `dtype`. Throws UsageError for a field that this effect does not have, naming those it has, and
/// for positions beyond a table's rows.
std::vector<Field> spell(const Effect& effect, const Span& span, DType dtype,
                         const std::vector<std::string>& names);

}  // namespace pe
