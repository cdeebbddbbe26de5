// From a dump to a diagnosis with every cause that is known.
#include "pe/verify/judge_dump.hpp"

#include <algorithm>

#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/identify.hpp"
#include "pe/diagnosis/rotations/own_frequencies.hpp"

namespace pe {

Index length_of(const std::vector<Stored>& arrays, Index otherwise) {
  Index longest = 0;
  for (const Stored& array : arrays)
    for (std::size_t axis = 0; axis + 1 < array.shape.size(); ++axis)
      longest = std::max(longest, array.shape[axis]);
  return longest > 0 ? longest : otherwise;
}

Diagnosis judge_dump(const Expectation& expected, const Dump& dump) {
  Diagnosis diagnosis = diagnose(expected, dump);
  if (diagnosis.tier != Tier::wrong || !diagnosis.reasons.empty()) return diagnosis;
  if (const auto other = other_table(expected, dump)) {
    diagnosis.reasons = {other->reason};
    diagnosis.after = other->worst;
  } else if (const auto own = own_frequencies(expected, dump)) {
    diagnosis.notes.push_back(*own);
  }
  return diagnosis;
}

}  // namespace pe
