// Outcomes, and one line for each.
#include "pe/verify/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pe {
namespace {

std::string sentence_of(const Diagnosis& diagnosis) {
  std::string reasons = spell(diagnosis.reasons);
  std::string doubts;
  for (const std::string& doubt : diagnosis.doubts) doubts += "; " + doubt;
  switch (diagnosis.tier) {
    case Tier::exact:
      return "exact: every value is correctly rounded" + doubts;
    case Tier::drift:
    case Tier::storage: {
      const std::string& arithmetic = diagnosis.arithmetic;
      return fmt::format(
          "{}: {}{}{}{}", name_of(diagnosis.tier),
          arithmetic.empty() && reasons.empty() ? "right, within the bound" : arithmetic,
          arithmetic.empty() || reasons.empty() ? "" : "; ", reasons, doubts);
    }
    case Tier::wrong:
      break;
  }
  if (reasons.empty())
    reasons = fmt::format("unexplained, off by {:.4g} at {}", diagnosis.worst,
                          diagnosis.worst_cell.place);
  return "WRONG: " + reasons;
}

std::string sentence_of(const std::vector<Verdict>& verdicts) {
  std::string failing;
  for (const Verdict& verdict : verdicts)
    if (verdict.word == Word::fails) failing += (failing.empty() ? "" : ", ") + verdict.law;
  if (!failing.empty()) return "fails " + failing;
  const auto number = [&](Word word) { return std::ranges::count(verdicts, word, &Verdict::word); };
  if (number(Word::holds) > 0)
    return fmt::format("{} {}, {} noted, {} skipped", number(Word::holds),
                       number(Word::holds) == 1 ? "law holds" : "laws hold", number(Word::noted),
                       number(Word::skipped));
  return verdicts.size() == 1 ? verdicts[0].measurement.skipped
                              : fmt::format("no law was judged, {} noted, {} skipped",
                                            number(Word::noted), number(Word::skipped));
}

// A failure that is known may hide no other one: the causes are all that were expected, and no
// more.
std::string unlike(const std::vector<std::string>& expected, const std::vector<Reason>& found) {
  std::set<std::string_view> missing(expected.begin(), expected.end()), more;
  const std::set<std::string_view> all = missing;
  for (const Reason& reason : found) {
    missing.erase(name_of(reason.cause));
    if (!all.contains(name_of(reason.cause))) more.insert(name_of(reason.cause));
  }
  const auto spelled = [](const std::set<std::string_view>& names, const char* words) {
    return fmt::format("cause{} {} {} {}", names.size() == 1 ? "" : "s", fmt::join(names, ", "),
                       names.size() == 1 ? "was" : "were", words);
  };
  if (!missing.empty()) return spelled(missing, "expected");
  return more.empty() ? "" : spelled(more, "not expected");
}

}  // namespace

Index Check::count(Word word) const { return std::ranges::count(verdicts, word, &Verdict::word); }

int Check::found() const {
  if (!error.empty()) return 2;
  if (diagnosis) return diagnosis->tier <= accept ? 0 : 1;
  if (count(Word::fails) > 0) return 1;
  return count(Word::holds) > 0 ? 0 : 2;
}

int Check::exit_code() const {
  if (!expected || found() == 2) return found();
  return surprise_of(*this).empty() ? 0 : 1;
}

std::string_view outcome_of(const Check& check) {
  constexpr std::string_view names[] = {"passed", "failed", "untold"};
  return names[static_cast<std::size_t>(check.exit_code())];
}

std::string sentence_of(const Check& check) {
  if (!check.error.empty()) return check.error;
  return check.diagnosis ? sentence_of(*check.diagnosis) : sentence_of(check.verdicts);
}

std::string surprise_of(const Check& check) {
  if (check.found() == 2) return "";
  if (!check.expected) {
    const bool refused = check.diagnosis && check.diagnosis->tier != Tier::wrong &&
                         check.diagnosis->tier > check.accept;
    return refused ? fmt::format(
                         "{0} is worse than {1}, the worst that is accepted: --accept {0} "
                         "takes it",
                         name_of(check.diagnosis->tier), name_of(check.accept))
                   : "";
  }
  const Expected& expected = *check.expected;
  if (expected.passes && *expected.passes != (check.found() == 0))
    return fmt::format("it was expected to {}", *expected.passes ? "pass" : "fail");
  if (!check.diagnosis)
    return expected.tier || !expected.causes.empty()
               ? "a tier or a cause was expected, which only a dump has"
               : "";
  if (expected.tier && *expected.tier != check.diagnosis->tier)
    return fmt::format("tier {} was expected", name_of(*expected.tier));
  return expected.causes.empty() ? "" : unlike(expected.causes, check.diagnosis->reasons);
}

Index Report::count(int exit_code) const {
  return std::ranges::count_if(checks,
                               [&](const Check& check) { return check.exit_code() == exit_code; });
}

int Report::exit_code() const { return count(1) > 0 ? 1 : count(2) > 0 ? 2 : 0; }

}  // namespace pe
