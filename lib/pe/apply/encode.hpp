// Encoding content: x ⊕ P(i) for tables, R(i) x for rotations.
#pragma once

#include "pe/apply/combine.hpp"
#include "pe/apply/content.hpp"
#include "pe/kinds/effect.hpp"

namespace pe {

/// The table's rows at positions, in f64, as content without batch and heads. Throws UsageError for
/// positions that the table does not have.
Content rows_of(const Table& table, const Positions& positions);

/// x ⊕ P. Throws UsageError when the widths differ and ⊕ is not concatenation.
Content combine(const Content& content, const Content& rows, Combine how);

/// The channels of each position turned: pair j by its angle and scaled by the attention factor and
/// by the side's own scale (xPos); channels beyond the pairs pass through. Throws UsageError when
/// the head's channels are not the rotation's.
Content turn(const Content& content, const Rotation& rotation, const Positions& positions,
             Side side = Side::query);

/// What the effect makes of queries, keys or embeddings before they are multiplied: a table and a
/// rotation encode them, biases and relative encodings leave them alone.
Content encode(const Effect& effect, const Content& content, const Positions& positions,
               Combine how, Side side = Side::query);

}  // namespace pe
