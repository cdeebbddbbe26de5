// Sizes of tables, windows and grids: sums of keys, as a family's record writes them.
#pragma once

#include "pe/configs/reader.hpp"
#include "pe/encodings/encoding.hpp"

namespace pe {

/// Sets every parameter for which the family's row has an expression under "set": terms joined by
/// + and -, factors by * and //, a key's item by [0], and grid(size,patch), the patches of an
/// image, whose two sides may be told apart; of alternatives, a|b, the first that has a value. What
/// the row says of the kind of layers alone goes first.
void read_sizes(Reader& reader, const Encoding& encoding, const LayerType& layer);

}  // namespace pe
