// Effect: one of the four things that attention can do with position.
#pragma once

#include <string_view>
#include <variant>

#include "pe/kinds/bias.hpp"
#include "pe/kinds/relative.hpp"
#include "pe/kinds/rotation.hpp"
#include "pe/kinds/table.hpp"

namespace pe {

using Effect = std::variant<Table, Rotation, Bias, Relative>;

/// The variant's alternatives, in order.
enum class Kind { table, rotation, bias, relative };

inline Kind kind_of(const Effect& effect) { return static_cast<Kind>(effect.index()); }

constexpr std::string_view name_of(Kind kind) {
  constexpr std::string_view names[] = {"table", "rotation", "bias", "relative"};
  return names[static_cast<std::size_t>(kind)];
}

/// The axes that positions have, when they have several.
inline const Coordinates* coordinates_of(const Effect& effect) {
  const Table* table = std::get_if<Table>(&effect);
  const Rotation* rotation = std::get_if<Rotation>(&effect);
  if (table && table->grid) return &*table->grid;
  return rotation && rotation->coordinates ? &*rotation->coordinates : nullptr;
}

/// The positions are the cells of a grid, and all of them belong together.
inline bool is_grid(const Effect& effect) {
  const Coordinates* coordinates = coordinates_of(effect);
  return coordinates && coordinates->count;
}

/// The same effect, which asks at each of its blocks whether the time of the budget in scope is
/// over.
Effect within_budget(Effect effect);

/// The effect as a model's arrays have it, whose positions count the tokens that have none, too:
/// rows of zeros in a table, no turn. Where positions have no end nothing stands behind them.
/// Unchanged without such tokens, and where the effect is of pairs of positions.
Effect among_tokens(Effect effect);

/// A visitor from lambdas.
template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Match(Cases...) -> Match<Cases...>;  // clang 14 deduces none of its own

}  // namespace pe
