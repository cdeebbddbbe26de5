// Which distance each distance is counted as, read off a bias that is a function of distances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

using Map = std::vector<Index>;  // by distance, what it is counted as

// What a program may make of distances, and the words for it.
struct Rule {
  std::function<Index(Index distance)> of;
  std::string sentence;
};

bool is_map(const Rule& rule, const Map& map) {
  for (std::size_t d = 0; d < map.size(); ++d)
    if (rule.of(static_cast<Index>(d)) != map[d]) return false;
  return true;
}

// `linear`: twice the distance is twice the bias, which has a cause of its own.
std::optional<std::string> words_for(const Map& map, bool linear) {
  const Index size = std::ssize(map), highest = *std::ranges::max_element(map);
  std::vector<Rule> rules = {
      {[=](Index d) { return d == 0 ? 0 : size - d; },
       fmt::format("distances are counted from the far end: d as {} - d", size)},
  };
  for (Index n = 2; n <= std::min<Index>(size - 1, 512); ++n) {
    rules.push_back({[=](Index d) { return d / n; },
                     fmt::format("distances are divided by {} and cut off to whole ones", n)});
    rules.push_back({[=](Index d) { return (d + n - 1) / n; },
                     fmt::format("distances are divided by {} and rounded up to whole ones", n)});
    rules.push_back({[=](Index d) { return (d + n / 2) / n; },
                     fmt::format("distances are divided by {} and rounded to whole ones", n)});
    rules.push_back({[=](Index d) { return d - d % n; },
                     fmt::format("distances are cut off to multiples of {}", n)});
    if (!linear)
      rules.push_back(
          {[=](Index d) { return d * n; }, fmt::format("every distance is times {}", n)});
    rules.push_back({[=](Index d) { return std::max(d - n, Index{0}); },
                     fmt::format("distances begin to count beyond {}", n)});
    rules.push_back({[=](Index d) { return d == 0 ? d : std::max(d, n); },
                     fmt::format("every distance below {0} but 0 is counted as {0}", n)});
  }
  // Up to the last that is counted as itself, and as none beyond.
  Index last = 0;
  while (last + 1 < size && map[static_cast<std::size_t>(last + 1)] == last + 1) ++last;
  if (last == highest)
    rules.push_back({[=](Index d) { return d <= last ? d : 0; },
                     fmt::format("distances beyond {} are counted as 0: there is no bias", last)});
  for (const Rule& rule : rules)
    if (is_map(rule, map)) return rule.sentence;
  return {};
}

class Reader {
 public:
  Reader(Kept<BiasObservation> observation, Kept<BiasHypothesis> hypothesis)
      : observation_(observation),
        hypothesis_(hypothesis),
        shape_(observation_.shape),
        query_(shape_.first_query + shape_.queries - 1),
        size_(query_ - shape_.first_key + 1) {}

  /// Of the keys before the last query; empty where one holds no distance's bias. Several that hold
  /// one bias are told apart by what comes before: a distance stays, or goes on by one.
  Map read() {
    constexpr Index most = 2048, farther = 4;  // distances; the farthest that one is counted as
    const Index far = std::min(farther * size_, most);
    if (size_ < 4 || size_ > most || shape_.last_key() < query_) return {};
    std::vector<std::vector<double>> bound, got;
    for (Index head = 0; head < shape_.heads; ++head) {
      meant.emplace_back(at(far));
      observation_.evaluate(hypothesis_, head, query_, query_ - far + 1, far, meant.back().data());
      std::ranges::reverse(meant.back());
      bound.emplace_back();
      for (Index d = 0; d < far; ++d)
        bound.back().push_back(observation_.allowed(hypothesis_, head, meant.back()[at(d)], 0, 0,
                                                    static_cast<double>(d)));
      got.emplace_back(at(size_));
      observation_.array->read(((head + 1) * shape_.queries - 1) * shape_.keys, size_,
                               got.back().data());
      std::ranges::reverse(got.back());
    }
    const auto holds = [&](Index distance, Index other) {
      for (std::size_t head = 0; head < meant.size(); ++head)
        if (!(std::fabs(got[head][at(distance)] - meant[head][at(other)]) <=
              bound[head][at(other)]))
          return false;
      return true;
    };
    Map map;
    for (Index distance = 0; distance < size_; ++distance) {
      Index found = -1;
      for (const Index near :
           {distance, map.empty() ? Index{0} : map.back(), map.empty() ? Index{0} : map.back() + 1})
        if (found < 0 && near < far && holds(distance, near)) found = near;
      for (Index other = 0; other < far && found < 0; ++other)
        if (holds(distance, other)) found = other;
      if (found < 0) return {};
      map.push_back(found);
    }
    return map;
  }

  std::vector<std::vector<double>> meant;  // of each head, by distance

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  const BiasObservation& observation_;
  const BiasHypothesis& hypothesis_;
  const BiasShape& shape_;
  std::int64_t query_;
  Index size_;
};

std::string spell_list(const Map& map) {
  Index others = 0, first = 0;
  for (Index d = std::ssize(map); d-- > 0;)
    if (map[static_cast<std::size_t>(d)] != d) {
      first = d;
      ++others;
    }
  return fmt::format(
      "distance {} is counted as {}{}", first, map[static_cast<std::size_t>(first)],
      others > 1 ? fmt::format("; {} of {} distances are others", others, map.size()) : "");
}

}  // namespace

BiasProposals offer_distance_map(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis) {
  constexpr double of_rule = 1.1, of_list = 2.9;  // a list says less than two causes do
  if (observation.shape.slopes || observation.bias->buckets || !is_by_distance(hypothesis) ||
      !is_first(observation, hypothesis))
    return {};
  BiasHypothesis plain = hypothesis;
  plain.constant = BiasHypothesis::Constant::none;
  Reader reader(observation, plain);
  const auto map = std::make_shared<const Map>(reader.read());
  if (map->empty()) return {};
  std::map<Index, std::vector<double>> meant;  // by head of the bias
  for (std::size_t head = 0; head < reader.meant.size(); ++head)
    meant.emplace(plain.heads[head], std::move(reader.meant[head]));
  const auto value = [map, meant = std::move(meant)](Index head, std::int64_t query,
                                                     std::int64_t key) {
    const auto distance = static_cast<std::size_t>(std::abs(query - key));
    return distance < map->size() ? meant.at(head)[static_cast<std::size_t>((*map)[distance])]
                                  : std::nan("");
  };
  BiasHypothesis other = of_pairs(plain, value);
  other.slopes.clear();
  const auto rule = words_for(*map, is_linear(hypothesis));
  // Of a linear bias whatever steps there are would be a list of distances: those of a short type.
  if (!rule && is_linear(hypothesis)) return {};
  return {{std::move(other), rule.value_or(spell_list(*map)), rule ? of_rule : of_list}};
}

}  // namespace pe
