// Which axis counts positions, where nothing but the numbers or the length says so.
#include "pe/diagnosis/sequences_last.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {
namespace {

// Each array as [sequence, position, channel]; nothing where one has other axes.
std::optional<Dump> turned_over(const Dump& dump) {
  Dump other = dump;
  for (Stored& array : other.arrays) {
    const std::vector<Index> shape = squeezed(array.shape);
    if (shape.size() != 3 || array.is_complex || is_integer(array.dtype)) return {};
    Stored apart = array;
    apart.shape = shape;
    array = moved_last(moved_last(apart, 0), 1);
  }
  return other;
}

// The first sequence alone, which is right where all are.
Dump first_sequence(const Dump& sequences) {
  Dump first = sequences;
  for (Stored& array : first.arrays) array.shape.erase(array.shape.begin());
  return first;
}

bool is_short(const Diagnosis& told) {
  return std::ranges::find(told.reasons, Cause::table_short, &Reason::cause) != told.reasons.end();
}

}  // namespace

Diagnosis with_sequences_last(const Expectation& expected, const Dump& dump, Diagnosis told,
                              const DumpJudge& judge) {
  if (told.tier != Tier::wrong || !dump.before.empty() || dump.arrays.empty() ||
      kind_of(expected.effect) == Kind::bias || kind_of(expected.effect) == Kind::relative)
    return told;
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  const bool is_said =
      expected.rows && shape.size() == 3 && shape[0] == *expected.rows && shape[1] != shape[0];
  constexpr Index fewest = 3;  // channels of a row: two are a pair's cosine and sine
  if ((expected.rows && !is_said) || (!shape.empty() && shape.back() < fewest)) return told;
  const auto other_way = turned_over(dump);
  if (!other_way) return told;
  // Where both are wrong, the axis that is said is the one unless its rows are too few.
  const bool may_be_wrong = is_said && (told.reasons.empty() || is_short(told));
  try {
    if (!may_be_wrong && judge(first_sequence(*other_way)).tier == Tier::wrong) return told;
    Diagnosis other = judge(*other_way);
    const bool is_better =
        other.tier != Tier::wrong || (may_be_wrong && !other.reasons.empty() && !is_short(other));
    if (!is_better) return told;
    other.notes.push_back(fmt::format(
        "{} positions along the first axis, {} sequences along the second", shape[0], shape[1]));
    return other;
  } catch (const UsageError&) {
    return told;
  }
}

}  // namespace pe
