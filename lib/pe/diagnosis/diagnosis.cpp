// Which world a dump belongs to, by the kind of what is expected; the catalogue of causes.
#include "pe/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/bias.hpp"
#include "pe/diagnosis/turns.hpp"

namespace pe {

std::string_view name_of(Tier tier) {
  constexpr std::string_view names[] = {"exact", "drift", "storage", "wrong"};
  return names[static_cast<std::size_t>(tier)];
}

std::vector<CauseRow> all_causes() {
  std::vector<CauseRow> all;
  for (const TurnCause& cause : turn_causes()) all.push_back(cause.row);
  for (const auto& more : {bias_causes(), bucket_causes(), row_causes()})
    for (const CauseRow& row : more)
      if (std::ranges::find(all, row.name, &CauseRow::name) == all.end()) all.push_back(row);
  return all;
}

Diagnosis diagnose(const Expectation& expected, const Dump& dump) {
  if (turn_truth(expected.effect)) {  // 16-bit integers are no turns, but the bits of bfloat16 numbers
    Dump plain = dump;
    for (auto* arrays : {&plain.arrays, &plain.before})
      for (Stored& array : *arrays)
        if (array.u16) array = as_bf16(array);
    return diagnose_turns(expected, plain);
  }
  switch (kind_of(expected.effect)) {
    case Kind::table: return diagnose_rows(expected, dump);
    case Kind::bias: return diagnose_bias(expected, dump);
    case Kind::relative: return diagnose_buckets(expected, dump);
    case Kind::rotation: break;
  }
  throw UsageError(fmt::format("dumps of {} are not told apart", expected.encoding->name));
}

}  // namespace pe
