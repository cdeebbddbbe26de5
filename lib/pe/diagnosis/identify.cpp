// Which kind of dump an array is, asked in an order in which the surest signs come first.
#include "pe/diagnosis/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/identify_scores.hpp"
#include "pe/diagnosis/identify_turns.hpp"

namespace pe {

Identification identify(const Dump& dump, const std::string& layout) {
  if (dump.arrays.empty()) throw UsageError("there is no array to identify");
  if (!dump.before.empty() && dump.before.size() != dump.arrays.size())
    throw UsageError(fmt::format("{} arrays before and {} after: give as many of each, in the same order", dump.before.size(), dump.arrays.size()));
  for (std::size_t i = 0; i < dump.before.size(); ++i)
    if (dump.before[i].shape != dump.arrays[i].shape)
      throw UsageError(fmt::format("{} is {} and {} is {}: vectors before and after must have one shape", dump.before[i].shown, spell_shape(dump.before[i].shape), dump.arrays[i].shown,
                                   spell_shape(dump.arrays[i].shape)));
  std::optional<Identification> found;
  if (dump.before.empty() && dump.arrays.size() == 1 && !dump.arrays[0].is_complex) {
    if (found = identify_scores(dump, layout); found && found->encoding) return *found;
  }
  std::optional<Identification> turns;
  try {
    turns = identify_turns(dump, layout);
  } catch (const UsageError&) {
    if (!found) throw;
  }
  if (turns && (turns->encoding || !found)) return *turns;
  if (found) return *found;
  return identify_rows(dump);
}

}  // namespace pe
