// The search for the smallest story that a dump agrees with: causes one at a time, then two.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// How well a story agrees with what was observed.
struct Fit {
  double excess =
      std::numeric_limits<double>::infinity();  // worst |difference| / bound; at most 1: it agrees
  double residual = 0;                          // worst |difference|
  double share = 0;                             // part of the cells within the bound

  bool agrees() const { return excess <= 1; }
};

/// A story that a cause offers. Among stories that agree the cheapest is preferred: a cause costs
/// 1, a number that was fitted and not known beforehand a little more.
template <typename Story>
struct Proposal {
  Story story;
  std::string sentence;
  double cost = 1;
};

/// World: Story, `Fit measure(const Story&) const` and whatever its causes look at; optionally
/// `bool agrees(const Story&) const`, a quicker answer that gives up at the first cell beyond its
/// bound.
template <typename World>
struct Cause {
  using Story = typename World::Story;
  CauseRow row;
  std::string_view aspect;  // a story is changed once in each aspect
  std::vector<Proposal<Story>> (*propose)(const World& world, const Story& story);
};

template <typename World>
struct Explanation {
  typename World::Story story;
  Fit fit;
  double cost = 0;
  Tier tier = Tier::drift;
  std::vector<Reason> reasons;
  std::vector<std::string_view> aspects;
};

namespace search_parts {

template <typename World>
void extend(const World& world, const Explanation<World>& from,
            std::span<const Cause<World>> causes, bool last,
            std::vector<Explanation<World>>& found) {
  for (const Cause<World>& cause : causes) {
    if (std::ranges::find(from.aspects, cause.aspect) != from.aspects.end()) continue;
    for (Proposal<typename World::Story>& proposal : cause.propose(world, from.story)) {
      if constexpr (requires { world.agrees(proposal.story); })
        if (last && !world.agrees(proposal.story)) continue;
      const Fit fit = world.measure(proposal.story);
      Explanation<World> next{
          std::move(proposal.story),           fit,          from.cost + proposal.cost,
          std::max(from.tier, cause.row.tier), from.reasons, from.aspects};
      next.reasons.push_back({std::string(cause.row.name), std::move(proposal.sentence)});
      next.aspects.push_back(cause.aspect);
      found.push_back(std::move(next));
    }
  }
}

template <typename World>
std::vector<Explanation<World>> agreeing(const std::vector<Explanation<World>>& all) {
  std::vector<Explanation<World>> some;
  for (const Explanation<World>& one : all)
    if (one.fit.agrees()) some.push_back(one);
  std::ranges::stable_sort(some, {}, [](const Explanation<World>& one) { return one.cost; });
  return some;
}

}  // namespace search_parts

/// A search that goes one step deeper each time it is asked, so that several can be run side by
/// side, shallow answers first.
template <typename World>
class Search {
 public:
  Search(const World& world, const typename World::Story& start,
         std::span<const Cause<World>> causes)
      : world_(&world), causes_(causes), none_{start, world.measure(start), 0, Tier::drift, {},
                                               {}} {}

  /// The stories `depth` causes away from the start (0, 1 or 2) that agree, cheapest first.
  std::vector<Explanation<World>> at_depth(int depth) {
    constexpr std::size_t promising =
        48;  // stories of one cause that are tried with a second one, best first
    if (depth == 0) return search_parts::agreeing(std::vector{none_});
    if (once_.empty()) search_parts::extend(*world_, none_, causes_, false, once_);
    if (depth == 1) return search_parts::agreeing(once_);
    std::ranges::stable_sort(once_, std::greater{},
                             [](const Explanation<World>& one) { return one.fit.share; });
    std::vector<Explanation<World>> twice;
    for (std::size_t i = 0; i < std::min(promising, once_.size()); ++i)
      search_parts::extend(*world_, once_[i], causes_, true, twice);
    return search_parts::agreeing(twice);
  }

 private:
  const World* world_;
  std::span<const Cause<World>> causes_;
  Explanation<World> none_;
  std::vector<Explanation<World>> once_;
};

/// The stories that agree, cheapest first: `start` itself, else one cause away from it, else two.
/// Empty: unexplained.
template <typename World>
std::vector<Explanation<World>> explain(const World& world, const typename World::Story& start,
                                        std::span<const Cause<World>> causes) {
  Search<World> search(world, start, causes);
  for (const int depth : {0, 1, 2})
    if (auto some = search.at_depth(depth); !some.empty()) return some;
  return {};
}

}  // namespace pe
