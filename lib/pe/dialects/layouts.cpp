// The rows of layouts.def.
#include "pe/dialects/layouts.hpp"

namespace pe {
namespace {

constexpr bool turns = false, angles = true;

constexpr ArrayLayout rows[] = {
#define NONE std::nullopt
#define SPOT(half, element, step) \
  ArrayLayout::Spot { half, element, step }
#define PAIRING(name) Pairing::name
#define PE_LAYOUT(identifier, name, holds, arrays, width, cosine, sine, copy, pairing) \
  {Keeping::identifier, name, holds, arrays, width, cosine, sine, copy, pairing},
#include "pe/dialects/layouts.def"
#undef PE_LAYOUT
#undef PAIRING
#undef SPOT
#undef NONE
};

}  // namespace

std::span<const ArrayLayout> all_layouts() { return rows; }

const ArrayLayout& row_of(Keeping keeping) { return rows[static_cast<std::size_t>(keeping)]; }

}  // namespace pe
