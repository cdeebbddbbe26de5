// From a subject to an expectation, which can be made again with other parameters.
#include "pe/diagnosis/expectation.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {

Expectation expectation_of(const Subject& subject) {
  Expectation expected{.encoding = subject.encoding,
                       .parameters = subject.parameters,
                       .effect = subject.effect,
                       .rows = {},
                       .layout = {},
                       .remake = {}};
  expected.remake = [subject](const Given& changes) -> std::optional<Expectation::Remade> {
    auto changed = with_changes(subject, changes);
    if (!changed) return {};
    return Expectation::Remade{std::move(changed->parameters), std::move(changed->effect)};
  };
  if (subject.positions_given()) {
    const PositionRange& positions = subject.span.positions;
    if (positions.step != 1 || positions.decimals != 0)
      throw UsageError(fmt::format(
          "--positions {}: the rows of a dump are whole positions that follow each other",
          spell(positions)));
    expected.first = positions.first;
    expected.rows = positions.count;
  }
  if (subject.dialect_given) expected.dialect = subject.dialect;
  return expected;
}

}  // namespace pe
