// Effects that keep to a budget.
#include "pe/kinds/effect.hpp"

#include <utility>

#include "pe/base/budget.hpp"

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

}  // namespace

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
