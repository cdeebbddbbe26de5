// From a subject to an expectation, which can be made again with other parameters.
#include "pe/diagnosis/expectation.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"

namespace pe {

Expectation expectation_of(const Subject& subject) {
  Expectation expected{.encoding = subject.encoding,
                       .parameters = subject.parameters,
                       .effect = subject.effect,
                       .rows = {},
                       .layout = {},
                       .axes = {},
                       .still = subject.reading.family ? subject.reading.family->still : "",
                       .layers_alike = subject.reading.layer_types.size() < 2,
                       .remake = {}};
  expected.remake = [subject](const Settings& changes) -> std::optional<Expectation::Remade> {
    auto changed = with_changes(subject, texts_of(changes, "diagnosis"));
    if (!changed) return {};
    return Expectation::Remade{std::move(changed->parameters), std::move(changed->effect)};
  };
  if (subject.positions_given()) {
    const PositionRange& positions = subject.span.positions;
    const bool turns = is_of_turns(subject.effect);
    if (positions.decimals != 0 || (positions.step != 1 && !turns))
      throw UsageError(fmt::format("--positions: the rows of a dump of {} are whole positions{}",
                                   subject.encoding->name, turns ? "" : " that follow each other"));
    expected.first = positions.first;
    expected.step = positions.step;
    expected.rows = positions.count;
  }
  if (subject.dialect_given) expected.dialect = subject.dialect;
  return expected;
}

}  // namespace pe
