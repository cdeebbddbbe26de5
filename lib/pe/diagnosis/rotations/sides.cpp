// What queries and keys have in common, and what each has alone.
#include "pe/diagnosis/rotations/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

// Takes away what queries and keys both have and relative positions survive: the other direction of
// all that turns, which is right where the weights were trained so, or another place where xPos'
// scales are 1, since s(p − c)/s(q − c) is s(p − q) for every c.
void leave_equivalents(const Expectation& expected, std::vector<Diagnosis>& each) {
  const Rotation* rotation = std::get_if<Rotation>(&expected.effect);
  // Gradients have one direction, and so has what a user gives one.
  const bool is_said =
      (rotation && rotation->backward) || (expected.parameters.has("direction") &&
                                           expected.parameters.origin("direction") != "default");
  if (each.size() < 2) return;
  const std::vector<Reason> first = each[0].reasons;
  for (const Reason& reason : first) {
    if (reason.cause != Cause::scale_center &&
        (reason.cause != Cause::direction_reversed || reason.sentence != goes_backwards || is_said))
      continue;
    const auto is_it = [&](const Reason& other) {
      return other.cause == reason.cause && other.sentence == reason.sentence;
    };
    if (!std::ranges::all_of(
            each, [&](const Diagnosis& one) { return std::ranges::any_of(one.reasons, is_it); }))
      continue;
    for (Diagnosis& one : each) {
      std::erase_if(one.reasons, is_it);
      // A verdict that says wrong has no doubts.
      if (reason.cause == Cause::direction_reversed)
        (one.reasons.empty() ? one.doubts : one.notes)
            .push_back(fmt::format("queries and keys alike: {}; their products follow the offset "
                                   "with its sign turned, "
                                   "which is right for weights that were trained so alone "
                                   "(--direction forward holds them to it)",
                                   reason.sentence));
      else
        one.notes.push_back(
            fmt::format("queries and keys alike: {}; their products are the same, so this is "
                        "equivalent",
                        reason.sentence));
      if (!one.reasons.empty()) continue;
      one.tier = Tier::drift;
      one.first_wrong.reset();
    }
  }
}

// What is wrong with each of several arrays, by its name; empty where it is the same of all.
std::vector<Reason> reasons_by_name(const std::vector<Diagnosis>& each,
                                    const std::vector<Stored>& arrays) {
  const auto sentences = [](const Diagnosis& one) {
    std::vector<std::string> all;
    for (const Reason& reason : one.reasons) all.push_back(reason.sentence);
    return all;
  };
  const bool alike = std::ranges::all_of(each, [&](const Diagnosis& one) {
    return one.tier == each[0].tier && sentences(one) == sentences(each[0]);
  });
  std::vector<Reason> all;
  for (std::size_t i = 0; !alike && i < each.size(); ++i) {
    if (each[i].tier != Tier::wrong) continue;
    for (const Reason& reason : each[i].reasons) {
      const auto same = std::ranges::find(all, reason.cause, &Reason::cause);
      const std::string sentence = fmt::format("{}: {}", arrays[i].name, reason.sentence);
      if (same == all.end())
        all.push_back({reason.cause, sentence});
      else
        same->sentence += "; " + sentence;
    }
  }
  return all;
}

// Arrays that are wrong and that nothing explains, beside others that something does.
void note_unexplained(const std::vector<Diagnosis>& each, const std::vector<Stored>& arrays,
                      std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < each.size(); ++i)
    if (each[i].tier == Tier::wrong && each[i].reasons.empty())
      notes.push_back(fmt::format("{} is wrong, too, and unexplained, off by {:.4g} at {}",
                                  arrays[i].name, each[i].worst, each[i].worst_cell.place));
}

}  // namespace

// Of two of a tier the one that shows something is told.
Diagnosis gravest(const Expectation& expected, std::vector<Diagnosis> each) {
  leave_equivalents(expected, each);
  return *std::ranges::max_element(each, {}, [](const Diagnosis& one) {
    return 2 * static_cast<int>(one.tier) + (one.cells > 0 ? 1 : 0);
  });
}

Diagnosis told_by_name(const Expectation& expected, std::vector<Diagnosis> each,
                       const std::vector<Stored>& arrays) {
  leave_equivalents(expected, each);
  std::vector<Reason> by_name = reasons_by_name(each, arrays);
  std::vector<std::string> notes, doubts;
  if (!by_name.empty()) note_unexplained(each, arrays, notes);
  for (std::size_t i = 0; i < each.size(); ++i)
    if (each.size() > 1 && each[i].cells == 0 && each[i].tier != Tier::wrong)
      doubts.push_back(fmt::format("of {} nothing was seen: every vector that turns is 0 before",
                                   arrays[i].name));
  Diagnosis told = gravest(expected, std::move(each));
  if (!by_name.empty()) told.reasons = std::move(by_name);
  std::ranges::move(notes, std::back_inserter(told.notes));
  if (told.cells > 0) std::ranges::move(doubts, std::back_inserter(told.doubts));
  return told;
}

}  // namespace pe
