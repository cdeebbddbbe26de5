// The catalogue of causes, from causes.def.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

constexpr CauseRow rows[] = {
#define PE_CAUSE(identifier, name, statement, kinds, tier) \
  {Cause::identifier, name, statement, kinds, Tier::tier},
#include "pe/diagnosis/causes.def"
#undef PE_CAUSE
};

}  // namespace

std::string_view name_of(Tier tier) {
  constexpr std::string_view names[] = {"exact", "drift", "storage", "wrong"};
  return names[static_cast<std::size_t>(tier)];
}

std::span<const CauseRow> all_causes() { return rows; }

const CauseRow& row_of(Cause cause) { return rows[static_cast<std::size_t>(cause)]; }

std::string_view name_of(Cause cause) { return row_of(cause).name; }

void put_gravest_first(std::vector<Reason>& reasons) {
  std::ranges::stable_sort(reasons, std::ranges::greater{},
                           [](const Reason& reason) { return row_of(reason.cause).tier; });
}

std::string spell(const Reason& reason) {
  return fmt::format("{} [{}]", reason.sentence, name_of(reason.cause));
}

std::string spell(const std::vector<Reason>& reasons) {
  std::string text;
  for (const Reason& reason : reasons) text += (text.empty() ? "" : "; ") + spell(reason);
  return text;
}

}  // namespace pe
