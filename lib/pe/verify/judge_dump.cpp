// From a dump to a diagnosis with every cause that is known.
#include "pe/verify/judge_dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/identify.hpp"
#include "pe/diagnosis/rotations/own_frequencies.hpp"
#include "pe/diagnosis/rotations/truth.hpp"

namespace pe {

Index length_of(const std::vector<Stored>& arrays, Index otherwise) {
  Index longest = 0;
  for (const Stored& array : arrays)
    for (std::size_t axis = 0; axis + 1 < array.shape.size(); ++axis)
      longest = std::max(longest, array.shape[axis]);
  return longest > 0 ? longest : otherwise;
}

void refuse_unseen(const Diagnosis& diagnosis, const Dump& dump) {
  if (diagnosis.tier == Tier::wrong || diagnosis.cells > 0) return;
  std::vector<std::string> names;
  for (const Stored& array : dump.before.empty() ? dump.arrays : dump.before)
    names.push_back(array.shown);
  throw UsageError(
      dump.before.empty()
          ? fmt::format("nothing can be told of {}: no number of it was seen",
                        fmt::join(names, ", "))
          : fmt::format("nothing can be told: every vector of {} that turns is 0, and stays so "
                        "whatever turns it",
                        fmt::join(names, ", ")));
}

void doubt_unturned(const Expectation& expected, Diagnosis& diagnosis) {
  if (diagnosis.tier == Tier::wrong || diagnosis.curve.empty() || !is_of_turns(expected.effect))
    return;
  if (std::ranges::all_of(diagnosis.curve, [](const auto& point) { return point.position == 0; }))
    diagnosis.doubts.emplace_back(
        "every row stands at position 0, where nothing turns: no frequency was seen");
}

Diagnosis judge_dump(const Expectation& expected, const Dump& dump) {
  Diagnosis diagnosis = judge_part(expected, dump);
  refuse_unseen(diagnosis, dump);
  doubt_unturned(expected, diagnosis);
  return diagnosis;
}

Diagnosis judge_part(const Expectation& expected, const Dump& dump) {
  Diagnosis diagnosis = diagnose(expected, dump);
  if (diagnosis.tier != Tier::wrong || !diagnosis.reasons.empty()) return diagnosis;
  const auto own = own_frequencies(expected, dump);
  if (own && own->is_noise) {
    diagnosis.reasons = {{Cause::uninitialised,
                          own->sentence +
                              "; in no order, as memory that was never written and is taken for "
                              "frequencies has them"}};
    diagnosis.after = own->worst;
  } else if (const auto other = other_table(expected, dump)) {
    diagnosis.reasons = {other->reason};
    diagnosis.after = other->worst;
  } else if (own) {
    diagnosis.notes.push_back(own->sentence);
  }
  return diagnosis;
}

}  // namespace pe
