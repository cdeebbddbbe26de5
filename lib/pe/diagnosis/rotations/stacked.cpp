// Longrope caches of vLLM and SGLang: the short factors' table and the long ones', one after the
// other.
#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {
namespace {

// Rows first … first+count−1 as the table of one list, from position 0.
std::optional<Diagnosis> diagnose_part(const Expectation& expected, const Dump& dump, Index first,
                                       Index count, const char* list) {
  Expectation part = expected;
  const Setting value = std::string(list);
  auto made = expected.remake({{"factor-list", value}});
  if (!made) return {};
  part.parameters = std::move(made->parameters);
  part.effect = std::move(made->effect);
  part.rows = count;
  part.remake = [remake = expected.remake, value](const Settings& changes) {
    Settings all = changes;
    all.emplace("factor-list", value);
    return remake(all);
  };
  return diagnose_turns(part, {{rows_of(dump.arrays[0], 0, first, count)}, {}, dump.has_gaps});
}

}  // namespace

std::optional<Dump> sides_apart(const Dump& dump) {
  if (!dump.before.empty() || dump.arrays.size() != 1 || dump.arrays[0].is_complex) return {};
  const Stored& array = dump.arrays[0];
  const auto first = std::ranges::find_if(array.shape, [](Index extent) { return extent != 1; });
  if (first == array.shape.end() || *first != 2 || array.shape.end() - first < 3) return {};
  const auto axis = static_cast<std::size_t>(first - array.shape.begin());
  Dump apart{{}, {}, dump.has_gaps};
  for (const Index side : {0, 1}) {
    apart.arrays.push_back(rows_of(array, axis, side, 1));
    apart.arrays.back().name = side == 0 ? "cos" : "sin";
  }
  return apart;
}

std::optional<Diagnosis> diagnose_stacked(const Expectation& expected, const Dump& dump) {
  const Parameters& parameters = expected.parameters;
  const Dialect* dialect = expected.dialect;
  if ((dialect && !dialect->stacks_longrope) || !expected.remake || !dump.before.empty() ||
      dump.arrays.size() != 1 || expected.first != 0 || expected.step != 1 ||
      !parameters.has("scaling") || parameters.choice("scaling") != "longrope" ||
      parameters.choice("factor-list") != "by-length")
    return {};
  const Stored& array = dump.arrays[0];
  const Index original = parameters.integer("original-max-position");
  if (array.shape.size() < 2 || array.size() == 0 || array.shape[0] <= original) return {};
  const Index longest = array.shape[0] - original;
  const bool has_most = parameters.has("max-position");
  const Index most = has_most ? parameters.integer("max-position") : longest;
  if (most < longest) return {};
  // Nothing but the count of rows says so.
  const bool fits = longest == expected.rows.value_or(has_most ? most : 0);
  const auto first = diagnose_part(expected, dump, 0, original, "short"),
             second = diagnose_part(expected, dump, original, longest, "long");
  if (!first || !second) return {};
  const auto is_told = [](const Diagnosis& one) {
    return one.tier != Tier::wrong || !one.reasons.empty();
  };
  if (!is_told(*first) || !is_told(*second)) return {};
  Diagnosis both = first->worst > second->worst ? *first : *second;
  both.tier = std::max(first->tier, second->tier);
  both.reasons.clear();
  both.others.clear();
  for (const auto& [part, rows] : {std::pair{&*first, fmt::format("rows before {}", original)},
                                   {&*second, fmt::format("rows from {} on", original)}})
    for (const Reason& reason : part->reasons) {
      const auto same = std::ranges::find(both.reasons, reason.cause, &Reason::cause);
      if (same == both.reasons.end())
        both.reasons.push_back({reason.cause, rows + ": " + reason.sentence});
    }
  if (!dialect && !fits && both.tier == Tier::wrong) return {};
  // Whoever counts on a row for each position reads the wrong one.
  const bool counts_on = !dialect && expected.rows == array.shape[0] && !fits;
  if (counts_on) {
    both.tier = Tier::wrong;
    both.arithmetic.clear();
    both.reasons.insert(
        both.reasons.begin(),
        {Cause::longrope_mixed,
         fmt::format("rows before {} are those of the short factors, and rows from it on are those "
                     "of the long ones from position 0: two tables in one, as vLLM stacks them "
                     "(--dialect vllm), where {} rows of one are meant",
                     original, array.shape[0])});
  } else if (!dialect) {
    both.doubts.emplace_back(
        "two tables in one, as vLLM stacks them, and nothing said so (--dialect vllm)");
  }
  both.before = std::max(first->before, second->before);
  both.after = std::max(first->after, second->after);
  both.cells = first->cells + second->cells;
  both.rounded_otherwise = first->rounded_otherwise + second->rounded_otherwise;
  both.ulps = std::max(first->ulps, second->ulps);
  both.coverage = fmt::format("all {} values", both.cells);
  both.notes.push_back(fmt::format(
      "two tables in one, as {} stacks them: {} rows by the short factors, then {} from "
      "position 0 by the long ones",
      dialect ? dialect->name : "vllm", original, longest));
  return both;
}

}  // namespace pe
