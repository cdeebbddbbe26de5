// The search for the smallest hypothesis that a dump agrees with: causes one at a time, then two.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// How well a hypothesis agrees with what was observed.
struct Fit {
  double excess =
      std::numeric_limits<double>::infinity();  // worst |difference| / bound; at most 1: it agrees
  double residual = 0;                          // worst |difference|
  double mean = 0;   // |difference|, of what rounding leaves of a hypothesis where that is known
  double share = 0;  // part of the cells within the bound

  bool agrees() const { return excess <= 1; }
  bool operator==(const Fit&) const = default;
};

/// A hypothesis that a cause proposes. Among hypotheses that agree the cheapest is preferred: a
/// cause costs 1, a number that was fitted and not known beforehand a little more.
template <typename Hypothesis>
struct Proposal {
  Hypothesis hypothesis;
  std::string sentence;
  double cost = 1;
  std::optional<Cause> cause = {};  // of its own, where one proposer speaks for several
};

/// Observation: Hypothesis, `Fit measure(const Hypothesis&) const` and whatever its causes look at;
/// optionally `bool agrees(const Hypothesis&) const`, a quicker answer that gives up at the first
/// cell beyond its bound, `double promise(const Hypothesis&) const`, from 0 to 1, what may be right
/// of it though no cell agrees, and `bool are_one(const Hypothesis&, const Hypothesis&) const`,
/// whether both say the same of every cell that was probed.
template <typename Observation>
struct Proposer {
  using Hypothesis = typename Observation::Hypothesis;
  Cause cause;
  std::string_view aspect;  // one word or several: a hypothesis is changed once in each of them
  std::vector<Proposal<Hypothesis>> (*propose)(const Observation& observation,
                                               const Hypothesis& hypothesis);
  /// Whether anything that it may propose behind a first cause can agree, a question that costs
  /// less than to propose it; null: it may.
  bool (*may_follow)(const Observation& observation, const Hypothesis& first) = nullptr;
};

template <typename Observation>
struct Explanation {
  typename Observation::Hypothesis hypothesis;
  Fit fit;
  double cost = 0;
  Tier tier = Tier::drift;
  std::vector<Reason> reasons;
  std::vector<std::string_view> aspects;
};

namespace search_parts {

/// Whether two lists of words, parted by blanks, have one in common.
inline bool share_word(std::string_view a, std::string_view b) {
  while (!a.empty()) {
    const std::string_view word = a.substr(0, a.find(' '));
    a.remove_prefix(std::min(a.size(), word.size() + 1));
    for (std::string_view rest = b; !rest.empty();) {
      const std::string_view other = rest.substr(0, rest.find(' '));
      if (word == other) return true;
      rest.remove_prefix(std::min(rest.size(), other.size() + 1));
    }
  }
  return false;
}

/// Whether two hypotheses of equal fit say the same of every cell, where that can be asked.
template <typename Observation>
bool is_same(const Observation& observation, const typename Observation::Hypothesis& a,
             const typename Observation::Hypothesis& b) {
  if constexpr (requires { observation.are_one(a, b); })
    return observation.are_one(a, b);
  else
    return true;
}

/// Whether what was measured of a hypothesis is what was measured before it was changed: what
/// changes nothing explains nothing.
template <typename Observation>
bool changes_nothing(const Observation& observation, const Fit& fit,
                     const typename Observation::Hypothesis& hypothesis,
                     const Explanation<Observation>& from) {
  return fit == from.fit && is_same(observation, hypothesis, from.hypothesis);
}

// Adds what lies one cause further than `from`. `start`, behind a first cause: what the second
// leads back to explains nothing, and what does not agree is left out. Of a first cause it is kept,
// with no fit yet where the quicker answer was enough.
template <typename Observation>
void extend(const Observation& observation, const Explanation<Observation>& from,
            std::span<const Proposer<Observation>> proposers,
            const typename Observation::Hypothesis* start,
            std::vector<Explanation<Observation>>& found) {
  std::map<decltype(Proposer<Observation>::may_follow), bool> may_follow;  // asked once for all
  for (const Proposer<Observation>& proposer : proposers) {
    if (std::ranges::any_of(from.aspects, [&](std::string_view changed) {
          return share_word(changed, proposer.aspect);
        }))
      continue;
    if (start && proposer.may_follow) {
      const auto [answer, is_new] = may_follow.try_emplace(proposer.may_follow);
      if (is_new) answer->second = proposer.may_follow(observation, from.hypothesis);
      if (!answer->second) continue;
    }
    for (Proposal<typename Observation::Hypothesis>& proposal :
         proposer.propose(observation, from.hypothesis)) {
      bool may_agree = true;
      if constexpr (requires { observation.agrees(proposal.hypothesis); })
        may_agree = observation.agrees(proposal.hypothesis);
      if (start && !may_agree) continue;
      if constexpr (requires { observation.are_one(proposal.hypothesis, proposal.hypothesis); })
        if (start && observation.are_one(proposal.hypothesis, *start)) continue;
      const Fit fit = may_agree ? observation.measure(proposal.hypothesis) : Fit{};
      if (may_agree && changes_nothing(observation, fit, proposal.hypothesis, from)) continue;

      const Cause cause = proposal.cause.value_or(proposer.cause);
      Explanation<Observation> next{
          std::move(proposal.hypothesis),          fit,          from.cost + proposal.cost,
          std::max(from.tier, row_of(cause).tier), from.reasons, from.aspects};
      next.reasons.push_back({cause, std::move(proposal.sentence)});
      next.aspects.push_back(proposer.aspect);
      found.push_back(std::move(next));
    }
  }
}

template <typename Observation>
std::vector<Explanation<Observation>> agreeing(const std::vector<Explanation<Observation>>& all) {
  std::vector<Explanation<Observation>> some;
  for (const Explanation<Observation>& one : all)
    if (one.fit.agrees()) some.push_back(one);
  std::ranges::stable_sort(some, {}, [](const Explanation<Observation>& one) { return one.cost; });
  return some;
}

}  // namespace search_parts

/// A search that goes one step deeper each time it is asked, so that several can be run side by
/// side, shallow answers first.
template <typename Observation>
class Search {
 public:
  Search(Kept<Observation> observation, const typename Observation::Hypothesis& start,
         std::span<const Proposer<Observation>> proposers)
      : observation_(&observation.get()),
        proposers_(proposers),
        none_{start, observation_->measure(start), 0, Tier::drift, {}, {}} {}

  /// The hypotheses `depth` causes away from the start (0, 1 or 2) that agree, cheapest first. What
  /// excuses cells instead of explaining them costs as much as two causes, and waits for these.
  std::vector<Explanation<Observation>> at_depth(int depth) {
    constexpr double two_causes = 2;
    if (depth == 0) return search_parts::agreeing(std::vector{none_});
    if (once_.empty()) search_parts::extend(*observation_, none_, proposers_, nullptr, once_);
    std::vector<Explanation<Observation>> found;
    for (const Explanation<Observation>& one : once_)
      if ((one.cost < two_causes) == (depth == 1)) found.push_back(one);
    if (depth == 1) return search_parts::agreeing(found);
    measure_rest();
    for (const Explanation<Observation>* first : promising())
      search_parts::extend(*observation_, *first, proposers_, &none_.hypothesis, found);
    return search_parts::agreeing(found);
  }

 private:
  // What is left of the hypotheses of one cause, where only whether they agree was asked.
  void measure_rest() {
    std::erase_if(once_, [&](Explanation<Observation>& one) {
      if (!(one.fit == Fit{})) return false;
      one.fit = observation_->measure(one.hypothesis);
      return search_parts::changes_nothing(*observation_, one.fit, one.hypothesis, none_);
    });
  }

  // The hypotheses of one cause that are tried with a second one: those that leave least
  // unexplained, a few of each cause; the best of every cause before the second of any, for what
  // hides behind another fault may leave everything unexplained by itself.
  std::vector<const Explanation<Observation>*> promising() const {
    constexpr std::size_t most = 64, of_a_cause = 3;
    std::vector<const Explanation<Observation>*> best, some;
    std::map<const Explanation<Observation>*, double> promise;
    for (const Explanation<Observation>& one : once_) {
      best.push_back(&one);
      promise[&one] = one.fit.share;
      if constexpr (requires { observation_->promise(one.hypothesis); })
        promise[&one] += observation_->promise(one.hypothesis) / 2;
    }
    std::ranges::stable_sort(best, std::greater{}, [&](const auto* one) { return promise[one]; });
    std::map<Cause, std::size_t> counts;
    std::array<std::vector<const Explanation<Observation>*>, of_a_cause> by_place;
    for (const Explanation<Observation>* one : best)
      if (const std::size_t place = counts[one->reasons.back().cause]++; place < of_a_cause)
        by_place[place].push_back(one);
    for (const auto& some_of_each : by_place)
      some.insert(some.end(), some_of_each.begin(), some_of_each.end());
    some.resize(std::min(some.size(), most));
    return some;
  }

  const Observation* observation_;
  std::span<const Proposer<Observation>> proposers_;
  Explanation<Observation> none_;
  std::vector<Explanation<Observation>> once_;
};

/// The hypotheses that agree, cheapest first: `start` itself, else one cause away from it, else
/// two. Empty: unexplained.
template <typename Observation>
std::vector<Explanation<Observation>> explain(const Observation& observation,
                                              const typename Observation::Hypothesis& start,
                                              std::span<const Proposer<Observation>> proposers) {
  Search<Observation> search(observation, start, proposers);
  for (const int depth : {0, 1, 2})
    if (auto some = search.at_depth(depth); !some.empty()) return some;
  return {};
}

}  // namespace pe
