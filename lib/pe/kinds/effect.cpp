// Effects that keep to a budget, and those among tokens that stand nowhere.
#include "pe/kinds/effect.hpp"

#include <algorithm>
#include <utility>

#include "pe/base/budget.hpp"
#include "pe/base/narrow.hpp"

namespace pe {
namespace {

template <typename... Arguments>
void make_ask(std::function<void(Arguments...)>& fill, const std::shared_ptr<Budget>& budget) {
  if (!fill) return;
  fill = [fill = std::move(fill), budget](Arguments... arguments) {
    budget->ask();
    fill(std::forward<Arguments>(arguments)...);
  };
}

// Buckets are asked for one by one, and the clock is not.
void make_ask(Buckets& buckets, const std::shared_ptr<Budget>& budget) {
  if (!buckets.of) return;
  buckets.of = [of = std::move(buckets.of), budget](std::int64_t query, std::int64_t key) {
    thread_local unsigned calls = 0;
    if (++calls % 1024 == 0) budget->ask();
    return of(query, key);
  };
}

// Calls blank(index, count) for the rows of tokens and inner(index, run) for the others, whose
// first stands at 0.
template <typename Blank, typename Inner>
void for_rows(const PositionRange& positions, const Tokens& tokens, std::optional<Index> rows,
              const Blank& blank, const Inner& inner) {
  const auto side = [&](Index i) {
    const std::int64_t at = positions.at(i) - tokens.before;
    return at < 0 ? -1 : rows && at >= *rows ? 1 : 0;
  };
  for (Index first = 0, end; first < positions.count; first = end) {
    end = first + 1;
    while (end < positions.count && side(end) == side(first)) ++end;
    PositionRange run = positions.slice(first, end - first);
    run.first -= tokens.before;
    if (side(first) == 0)
      inner(first, run);
    else
      blank(first, end - first);
  }
}

// A value at each of some elements.
void put(std::byte* out, Index elements, DType dtype, double value) {
  narrow(std::vector<double>(static_cast<std::size_t>(elements), value), dtype, out);
}

std::optional<Coordinates> without_places(const std::optional<Coordinates>& coordinates,
                                          const Tokens& tokens) {
  if (!coordinates) return {};
  const auto count = coordinates->count;
  return Coordinates{
      coordinates->axes, {}, count ? std::optional(*count + tokens.count()) : count, nullptr};
}

void stand_among_tokens(Table& table) {
  if (table.tokens.count() == 0) return;
  table.fill = [fill = table.fill, tokens = table.tokens, rows = table.rows, width = table.width](
                   const PositionRange& positions, DType dtype, std::byte* out) {
    const std::size_t row = static_cast<std::size_t>(width) * size_of(dtype);
    const auto at = [&](Index i) { return out + static_cast<std::size_t>(i) * row; };
    for_rows(
        positions, tokens, rows, [&](Index i, Index count) { put(at(i), count * width, dtype, 0); },
        [&](Index i, const PositionRange& run) { fill(run, dtype, at(i)); });
  };
  if (table.rows) *table.rows += table.tokens.count();
  if (table.range)
    table.range = {std::min(table.range->first, 0.0), std::max(table.range->second, 0.0)};
  table.grid = without_places(table.grid, table.tokens);
  table.parts.clear();
}

void stand_among_tokens(Rotation& rotation) {
  if (rotation.tokens.count() == 0) return;
  const std::optional<Index> rows =
      rotation.coordinates ? rotation.coordinates->count : std::nullopt;
  rotation.fill = [fill = rotation.fill, tokens = rotation.tokens, rows, pairs = rotation.pairs](
                      const PositionRange& positions, DType dtype, std::byte* cosine,
                      std::byte* sine) {
    const std::size_t row = static_cast<std::size_t>(pairs) * size_of(dtype);
    const auto at = [&](std::byte* out, Index i) {
      return out ? out + static_cast<std::size_t>(i) * row : nullptr;
    };
    for_rows(
        positions, tokens, rows,
        [&](Index i, Index count) {
          if (cosine) put(at(cosine, i), count * pairs, dtype, 1);
          if (sine) put(at(sine, i), count * pairs, dtype, 0);
        },
        [&](Index i, const PositionRange& run) { fill(run, dtype, at(cosine, i), at(sine, i)); });
  };
  rotation.coordinates = without_places(rotation.coordinates, rotation.tokens);
}

}  // namespace

Effect among_tokens(Effect effect) {
  std::visit(Match{[](Table& table) { stand_among_tokens(table); },
                   [](Rotation& rotation) { stand_among_tokens(rotation); }, [](auto&) {}},
             effect);
  return effect;
}

Effect within_budget(Effect effect) {
  const std::shared_ptr<Budget> budget = budget_here();
  if (!budget->has_end()) return effect;
  std::visit(Match{[&](Table& table) { make_ask(table.fill, budget); },
                   [&](Rotation& rotation) { make_ask(rotation.fill, budget); },
                   [&](Bias& bias) {
                     make_ask(bias.fill, budget);
                     if (bias.buckets) make_ask(*bias.buckets, budget);
                   },
                   [&](Relative& relative) {
                     make_ask(relative.buckets, budget);
                     for (RelativeTerm& term : relative.terms) make_ask(term.buckets, budget);
                     if (relative.sinusoids) make_ask(relative.sinusoids->fill, budget);
                   }},
             effect);
  return effect;
}

}  // namespace pe
