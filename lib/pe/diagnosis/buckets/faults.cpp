// The faults of bucket maps, each a field of the rule otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/diagnosis/buckets/maps.hpp"

namespace pe {
namespace {

using Scale = BucketRule::Scale;
using Rounding = BucketRule::Rounding;

// The name that the encoding has for a number of the rule; "" where it has none.
std::string name_among(const Expectation& expected, std::initializer_list<const char*> names) {
  for (const auto& entry : expected.parameters.entries())
    for (const char* name : names)
      if (entry.name == name) return name;
  return "";
}

class Faults {
 public:
  Faults(Kept<Expectation> expected, Kept<BucketRule> rule) : expected_(expected), rule_(rule) {}

  void direction() {
    BucketRule other = rule_;
    if (rule_.both && (rule_.scale == Scale::t5 || rule_.scale == Scale::deberta) && !rule_.cls)
      for (const int folded : {-1, 1}) {
        other.folded = folded;
        offer(other,
              fmt::format("the sign of key - query is lost: {} have the buckets of {}",
                          folded < 0 ? "keys after the query" : "keys before the query",
                          folded < 0 ? "those before it" : "those after it"),
              1.05);
      }
    if (rule_.scale == Scale::clipped && rule_.lower > 0 && rule_.centre > 0)
      for (const int folded : {-1, 1})
        for (const bool centred : {true, false}) {
          if (!centred && folded < 0) continue;
          other = rule_;
          other.folded = folded;
          if (!centred) other.centre = 0;
          offer(other,
                fmt::format("the sign of key - query is lost: buckets are those of the distance{}",
                            centred ? "" : ", from 0 on"),
                1.05);
        }
    other = rule_;
    const bool one_side = rule_.sign < 0 && (rule_.lower == 0 || rule_.lower == rule_.upper);
    bool both = !rule_.both;
    if (rule_.scale == Scale::clipped && one_side) {  // distances of one sign, or of both
      both = rule_.lower == 0;
      other.lower = other.centre = both ? rule_.upper : 0;
    } else if (rule_.scale == Scale::t5 && !rule_.cls) {
      other.both = both;
    } else {
      return;
    }
    const std::string name = name_among(expected_, {"bidirectional"});
    offer(other,
          both ? "buckets of both directions, where keys after the query are to have none (causal)"
               : "buckets of one direction (causal), where keys after the query have buckets of "
                 "their own",
          1, name, both ? "true" : "false");
  }

  // Known values, and the run of values that the observed buckets leave: those of a greater
  // distance are lower.
  void distance(const BucketBalance& balance, std::int64_t farthest) {
    if (rule_.scale == Scale::window) return;
    const std::string name =
        name_among(expected_, {"max-distance", "max-relative-positions", "clamp-len"});
    const bool clips = rule_.scale == Scale::clipped;
    const std::int64_t was = clips ? rule_.upper : rule_.farthest;
    const std::string meant = fmt::format(", where {} is meant", shown(was));
    for (const int known : {128, 256, 512, 64,  32,  1024, 800, 2048, 16,  8,   4,    20,  40,
                            48,  80,  96,  100, 160, 200,  320, 400,  500, 640, 1000, 4096})
      if (known != was && (!clips || known <= farthest + 1))
        offer(ending_at(known), fmt::format("{} {}{}", name, known, meant), 1, name,
              std::to_string(known));
    if (clips) ends();
    if (clips && rule_.centre > 0)
      for (const int known : {4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 511, 512}) {
        BucketRule other = rule_;
        other.lower = other.upper = known;
        if (std::abs(known - was) > 1 && rule_.lower > 0)
          offer(other,
                fmt::format("offsets are clipped at {}{}, and are counted from the same middle",
                            known, meant),
                1.05);
      }
    unclamped();
    if (rule_.scale == Scale::deberta)  // before the table's ends cut anything off
      for (const int known : {128, 256, 512, 64, 32, 1024, 2048}) {
        BucketRule other = ending_at(known);
        other.clamped = false;
        if (known != was) offer(other, fmt::format("{} {}{}", name, known, meant), 1.02);
      }
    if (!balance) return;
    std::int64_t low = 2,
                 high = clips ? std::clamp<std::int64_t>(farthest + 1, 2, 1 << 20) : 1 << 20;
    const double sign = clips ? 1 : -1;  // of what a longer distance does to buckets
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto map = made(ending_at(middle));
      if (!map || sign * balance(*map) > 0)
        low = middle + 1;
      else
        high = middle;
    }
    offer(ending_at(low), fmt::format("{} {} or a little more{}", name, low, meant), 1.2, name,
          std::to_string(low));
  }

  void count() {
    if (rule_.scale != Scale::t5 && rule_.scale != Scale::deberta) return;
    const std::string name = name_among(expected_, {"num-buckets", "position-buckets"});
    if (rule_.scale == Scale::deberta)
      offer({.sign = rule_.sign,
             .lower = rule_.count,
             .upper = rule_.count - 1,
             .centre = rule_.count,
             .clamped = rule_.clamped},
            "every distance up to the ends of the table has a bucket of its own, where those far "
            "off share one",
            1);
    for (const Index known :
         {Index{32}, Index{16},  Index{64},       Index{8},       Index{128}, Index{24},
          Index{48}, Index{256}, Index{320},      Index{512},     Index{4},   Index{12},
          Index{20}, Index{40},  Index{96},       Index{160},     Index{31},  Index{33},
          Index{63}, Index{65},  2 * rule_.count, rule_.count / 2}) {
      if (known == rule_.count) continue;
      BucketRule other = rule_;
      other.count = known;
      offer(other, fmt::format("{} {}, where {} is meant", name, known, rule_.count), 1, name,
            std::to_string(known));
    }
  }

  // Boundaries as they were observed, each between the neighbours of the one that is meant; those
  // farther than the dump goes as they are meant.
  void boundaries(const Buckets& from, const BucketEvidence& evidence) {
    const Index half = rule_.both && rule_.scale == Scale::t5 ? rule_.count / 2 : rule_.count,
                exact = half / 2;
    std::vector<std::int64_t> starts, meant;
    for (const std::int64_t distance : evidence.changes)
      if (distance > exact) starts.push_back(distance);
    const std::int64_t end =
        rule_.clamped ? from.saturation : std::max(from.saturation, evidence.farthest - 1);
    for (std::int64_t distance = exact + 1; distance <= end; ++distance)
      if (from.of(distance, 0) != from.of(distance - 1, 0)) meant.push_back(distance);
    if (starts.empty() || starts.size() > meant.size()) return;
    std::size_t moved = 0, first = 0;
    for (std::size_t i = starts.size(); i-- > 0;) {
      if ((i > 0 && starts[i] < meant[i - 1]) || (i + 1 < meant.size() && starts[i] > meant[i + 1]))
        return;
      if (starts[i] != meant[i]) first = i;
      moved += starts[i] != meant[i];
    }
    // What lies beyond the farthest distance was not seen to begin.
    for (std::size_t i = starts.size(); i < meant.size(); ++i) {
      const bool late = meant[i] < evidence.farthest;
      moved += late;
      if (late && moved == 1) first = i;
      starts.push_back(late ? evidence.farthest : meant[i]);
    }
    if (moved == 0) return;
    BucketRule other = rule_;
    other.starts = starts;
    offer(other,
          fmt::format("the bucket that begins at distance {} begins at {}{}", meant[first],
                      starts[first],
                      moved > 2    ? fmt::format(", and {} others are moved", moved - 1)
                      : moved == 2 ? ", and one other is moved"
                                   : ""),
          1.25);
  }

  void boundary() {
    if (rule_.scale == Scale::t5) {
      rounding(Rounding::below,
               "a distance that lies on a boundary has the bucket below it: > for >=, or a float "
               "logarithm that comes out short");
      rounding(Rounding::nearest,
               "the logarithm is rounded to the nearest bucket, where it is to be cut off");
      rounding(Rounding::up, "the logarithm is rounded up, where it is to be cut off");
      rounding(Rounding::above,
               "every distance that shares its bucket has the one above: the logarithm is cut off "
               "and one is added");
      without_logarithm();
      if (rule_.both) {
        BucketRule other = rule_;
        other.own_is_later = true;
        offer(other, "the query's own key has a bucket of the later keys: >= for >", 1);
      }
    }
    if (rule_.scale == Scale::deberta) {
      rounding(Rounding::down, "the logarithm is cut off, where it is to be rounded up");
      rounding(Rounding::nearest,
               "the logarithm is rounded to the nearest bucket, where it is to be rounded up");
      rounding(Rounding::above, "a distance that lies on a boundary has the bucket above it");
    }
    if (rule_.scale == Scale::window || rule_.cls) return;
    for (const int later : {1, -1}) {
      BucketRule other = rule_;
      other.later += later;
      offer(other,
            fmt::format("every boundary lies one distance {}", later > 0 ? "later" : "earlier"),
            1.1);
    }
  }

  void offset(const std::vector<std::int64_t>& moves) {
    for (const int more : {1, -1, 2, -2}) {
      const std::string words =
          fmt::format("{} {}", std::abs(more) == 1 ? "one" : "two", more > 0 ? "more" : "less");
      const double cost = std::abs(more) == 1 ? 1 : 1.05;
      BucketRule other = rule_;
      other.added += more;
      offer(other, "every bucket is " + words, cost);
      if (rule_.scale == Scale::window || rule_.cls) continue;
      other = rule_;
      other.moved += more;
      offer(other, fmt::format("key - query is {} than it should be", words), cost);
    }
    for (const std::int64_t move : moves) {
      if (std::abs(move) <= 2 || rule_.scale == Scale::window || rule_.cls) continue;
      BucketRule other = rule_;
      other.moved += move;
      offer(other,
            fmt::format("key - query is {} {} than it should be", std::abs(move),
                        move > 0 ? "more" : "less"),
            1.05);
    }
  }

  std::vector<BucketMap> maps;

 private:
  static std::string shown(std::int64_t value) { return std::to_string(value); }

  static std::optional<Buckets> made(const BucketRule& rule) {
    try {
      return make_buckets(rule);
    } catch (const UsageError&) {
      return {};
    }
  }
  void offer(const BucketRule& rule, std::string sentence, double cost,
             const std::string& parameter = "", const std::string& value = "") {
    auto map = made(rule);
    if (!map) return;
    Settings changes;
    if (!parameter.empty()) changes[parameter] = value;
    maps.push_back({std::move(*map), std::move(sentence), cost, std::move(changes)});
  }

  // Of clipped offsets both ends and the centre, as far as they follow from the distance.
  BucketRule ending_at(std::int64_t distance) const {
    BucketRule other = rule_;
    other.farthest = distance;
    if (rule_.scale != Scale::clipped) return other;
    const std::int64_t more = distance - rule_.upper;
    other.upper = distance;
    if (rule_.lower > 0) other.lower += more;
    if (rule_.centre > 0) other.centre += more;
    return other;
  }
  // One end, or both, a distance nearer or farther, where the centre is right.
  void ends() {
    for (const int more : {-1, 1})
      for (const auto& [low, high, words] : {std::tuple(1, 1, "offsets are clipped at"),
                                             std::tuple(0, 1, "later keys are clipped at"),
                                             std::tuple(1, 0, "earlier keys are clipped at")}) {
        BucketRule other = rule_;
        if (rule_.sign < 0) {
          other.lower += more * high;
          other.upper += more * low;
        } else {
          other.lower += more * low;
          other.upper += more * high;
        }
        if (other.lower < 0 || other.upper < 0) continue;
        offer(other,
              fmt::format("{} {}, where {} is meant, and are counted from the same middle", words,
                          rule_.upper + more, rule_.upper),
              1.05);
      }
  }
  void unclamped() {
    if (rule_.scale == Scale::window) return;
    BucketRule other = rule_;
    other.clamped = false;
    offer(other,
          rule_.scale == Scale::t5
              ? "buckets go on beyond the last one: the minimum with it is missing"
              : "offsets are not clamped to the ends of the table",
          1);
  }
  // T5's buckets of one distance each until they run out.
  void without_logarithm() {
    const Index half = rule_.both ? rule_.count / 2 : rule_.count;
    BucketRule other = rule_;
    for (Index distance = half / 2 + 1; distance < half; ++distance)
      other.starts.push_back(distance);
    if (!other.starts.empty())
      offer(other,
            "there is no logarithm: every distance has a bucket of its own, and those far off "
            "share the last",
            1);
  }
  void rounding(Rounding rounding, const char* sentence) {
    BucketRule other = rule_;
    other.rounding = rounding;
    offer(other, sentence, 1);
  }

  const Expectation& expected_;
  const BucketRule& rule_;
};

}  // namespace

std::vector<BucketMap> bucket_maps(const Expectation& expected, const Buckets& from,
                                   BucketFault fault, const BucketEvidence& evidence) {
  if (!from.rule) return {};
  Faults faults(expected, *from.rule);
  if (from.rule->scale == Scale::window) faults.maps = window_maps(*from.rule, fault);
  switch (fault) {
    case BucketFault::direction:
      faults.direction();
      break;
    case BucketFault::max_distance:
      faults.distance(evidence.balance, evidence.farthest);
      break;
    case BucketFault::count:
      faults.count();
      break;
    case BucketFault::boundary:
      faults.boundary();
      if (from.rule->scale == Scale::t5 || from.rule->scale == Scale::deberta)
        faults.boundaries(from, evidence);
      break;
    case BucketFault::offset:
      faults.offset(evidence.moves);
      break;
    case BucketFault::axes:
    case BucketFault::signs:
      break;
  }
  for (BucketMap& map : unruled_maps(*from.rule, fault)) faults.maps.push_back(std::move(map));
  for (BucketMap& map : faults.maps) map.buckets.positions = from.positions;
  return std::move(faults.maps);
}

}  // namespace pe
