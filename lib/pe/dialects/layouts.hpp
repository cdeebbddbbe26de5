// Layouts of turns: where arrays keep the cosine and the sine of a pair; the rows of layouts.def.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "pe/kinds/rotation.hpp"

namespace pe {

/// One enumerator per row of layouts.def.
enum class Keeping {
#define PE_LAYOUT(identifier, name, holds, arrays, width, cosine, sine, copy, pairing) identifier,
#include "pe/dialects/layouts.def"
#undef PE_LAYOUT
};

/// A row of layouts.def, for n pairs.
struct ArrayLayout {
  /// Element half·n + element + j·step of a row.
  struct Spot {
    Index half, element, step;
    Index at(Index pair, Index pairs) const { return half * pairs + element + pair * step; }
  };

  Keeping keeping;
  std::string_view name;
  bool angles;                     // the angles themselves, which have no sides
  int arrays;                      // 2: cosines and sines have one each
  Index width;                     // elements of a row for each pair
  Spot cosine, sine;               // of angles: `cosine` alone
  std::optional<Spot> copy;        // the second of two equal columns, the cosine's (angle's)
  std::optional<Pairing> pairing;  // of the kernels that columns for channels are made for

  /// The sine's second column, as far from its first as the cosine's.
  std::optional<Spot> sine_copy() const {
    if (!copy || angles) return {};
    return Spot{copy->half + sine.half - cosine.half, copy->element + sine.element - cosine.element,
                copy->step};
  }
};

std::span<const ArrayLayout> all_layouts();
const ArrayLayout& row_of(Keeping keeping);

}  // namespace pe
