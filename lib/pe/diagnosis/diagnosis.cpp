// Which world a dump belongs to, by the kind of what is expected; the catalogue of causes.
#include "pe/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

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

namespace {

// Causes ask for the same parameters again and again.
Expectation remembering(const Expectation& expected) {
  Expectation with_memory = expected;
  if (!expected.remake) return with_memory;
  auto memory = std::make_shared<std::map<std::string, std::optional<Expectation::Remade>>>();
  with_memory.remake = [memory, remake = expected.remake](const Given& changes) {
    std::string key;
    for (const auto& [name, value] : changes) key += name + "=" + value.text + ";";
    const auto found = memory->find(key);
    return found != memory->end() ? found->second : memory->emplace(key, remake(changes)).first->second;
  };
  return with_memory;
}

}  // namespace

Diagnosis diagnose(const Expectation& asked, const Dump& dump) {
  const Expectation expected = remembering(asked);
  if (turn_truth(expected.effect)) return diagnose_turns(expected, dump);
  switch (kind_of(expected.effect)) {
    case Kind::table: return diagnose_rows(expected, dump);
    case Kind::bias: return diagnose_bias(expected, dump);
    case Kind::relative: return diagnose_buckets(expected, dump);
    case Kind::rotation: break;
  }
  throw UsageError(fmt::format("dumps of {} are not told apart", expected.encoding->name));
}

}  // namespace pe
