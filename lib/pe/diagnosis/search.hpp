// The search for the smallest hypothesis that a dump agrees with: causes one at a time, then two.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// How well a hypothesis agrees with what was observed.
struct Fit {
  double excess =
      std::numeric_limits<double>::infinity();  // worst |difference| / bound; at most 1: it agrees
  double residual = 0;                          // worst |difference|
  double share = 0;                             // part of the cells within the bound

  bool agrees() const { return excess <= 1; }
};

/// A hypothesis that a cause proposals. Among hypotheses that agree the cheapest is preferred: a
/// cause costs 1, a number that was fitted and not known beforehand a little more.
template <typename Hypothesis>
struct Proposal {
  Hypothesis hypothesis;
  std::string sentence;
  double cost = 1;
};

/// Observation: Hypothesis, `Fit measure(const Hypothesis&) const` and whatever its causes look at;
/// optionally `bool agrees(const Hypothesis&) const`, a quicker answer that gives up at the first
/// cell beyond its bound.
template <typename Observation>
struct Proposer {
  using Hypothesis = typename Observation::Hypothesis;
  Cause cause;
  std::string_view aspect;  // a hypothesis is changed once in each aspect
  std::vector<Proposal<Hypothesis>> (*propose)(const Observation& observation,
                                               const Hypothesis& hypothesis);
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

template <typename Observation>
void extend(const Observation& observation, const Explanation<Observation>& from,
            std::span<const Proposer<Observation>> proposers, bool last,
            std::vector<Explanation<Observation>>& found) {
  for (const Proposer<Observation>& proposer : proposers) {
    if (std::ranges::find(from.aspects, proposer.aspect) != from.aspects.end()) continue;
    for (Proposal<typename Observation::Hypothesis>& proposal :
         proposer.propose(observation, from.hypothesis)) {
      if constexpr (requires { observation.agrees(proposal.hypothesis); })
        if (last && !observation.agrees(proposal.hypothesis)) continue;
      const Fit fit = observation.measure(proposal.hypothesis);
      Explanation<Observation> next{std::move(proposal.hypothesis),
                                    fit,
                                    from.cost + proposal.cost,
                                    std::max(from.tier, row_of(proposer.cause).tier),
                                    from.reasons,
                                    from.aspects};
      next.reasons.push_back({proposer.cause, std::move(proposal.sentence)});
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
  Search(const Observation& observation, const typename Observation::Hypothesis& start,
         std::span<const Proposer<Observation>> proposers)
      : observation_(&observation), proposers_(proposers), none_{start, observation.measure(start),
                                                                 0,     Tier::drift,
                                                                 {},    {}} {}

  /// The hypotheses `depth` causes away from the start (0, 1 or 2) that agree, cheapest first.
  std::vector<Explanation<Observation>> at_depth(int depth) {
    constexpr std::size_t promising =
        48;  // hypotheses of one cause that are tried with a second one, best first
    if (depth == 0) return search_parts::agreeing(std::vector{none_});
    if (once_.empty()) search_parts::extend(*observation_, none_, proposers_, false, once_);
    if (depth == 1) return search_parts::agreeing(once_);
    std::ranges::stable_sort(once_, std::greater{},
                             [](const Explanation<Observation>& one) { return one.fit.share; });
    std::vector<Explanation<Observation>> twice;
    for (std::size_t i = 0; i < std::min(promising, once_.size()); ++i)
      search_parts::extend(*observation_, once_[i], proposers_, true, twice);
    return search_parts::agreeing(twice);
  }

 private:
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
