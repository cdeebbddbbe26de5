// The faults of bucket maps, encoding by encoding: which parameter each is, and which formula its
// boundaries have.
#include "pe/diagnosis/buckets/maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace pe {
namespace {

// The parameters that decide the buckets of an encoding.
struct Deciding {
  std::string_view encoding;
  const char *count, *distance;
  bool clips = false;  // at the distance: a longer one than a dump shows makes no difference
};
constexpr Deciding deciding_rows[] = {
    {"t5", "num-buckets", "max-distance"},
    {"tupe", "num-buckets", "max-distance"},
    {"shaw", nullptr, "max-distance", true},
    {"deberta", "position-buckets", "max-relative-positions"},
    {"transformer-xl", nullptr, "clamp-len", true},
};

const Deciding* deciding_of(const Expectation& expected) {
  const auto found = std::ranges::find(deciding_rows, expected.encoding->name, &Deciding::encoding);
  return found == std::end(deciding_rows) ? nullptr : &*found;
}

// A parameter's text after the changes; "" when it has none.
std::string text_of(const Expectation& expected, const Given& changes, std::string_view name) {
  if (const auto found = changes.find(name); found != changes.end()) return found->second.text;
  for (const auto& entry : expected.parameters.entries())
    if (entry.name == name) return entry.text;
  return "";
}

std::optional<BucketMap> changed(const Expectation& expected, const Given& changes,
                                 const std::string& name, const std::string& value) {
  Given all = changes;
  all[name] = {value, "diagnosis"};
  Given cheap = all;
  if (expected.encoding->name == "tupe" && !expected.parameters.has("table"))
    cheap["rows"] = {"2", "diagnosis"};  // buckets do not ask for them
  const auto made = expected.remake ? expected.remake(cheap) : std::nullopt;
  if (!made) return {};
  std::optional<Buckets> buckets = buckets_of(made->effect);
  if (!buckets) return {};
  const std::string was = text_of(expected, changes, name);
  return BucketMap{
      std::move(*buckets),
      fmt::format("{} {}, where {} is meant", name, value, was.empty() ? "another" : was), 1,
      std::move(all)};
}

void direction(const Expectation& expected, const Given& changes, std::vector<BucketMap>& maps) {
  const bool t5 = expected.encoding->name == "t5", xl = expected.encoding->name == "transformer-xl";
  if (!t5 && !xl) return;
  const std::string name = t5 ? "bidirectional" : "attn-type",
                    was = text_of(expected, changes, name);
  const std::string other = t5 ? (was == "true" ? "false" : "true") : (was == "bi" ? "uni" : "bi");
  if (auto map = changed(expected, changes, name, other)) {
    map->sentence =
        other == "true" || other == "bi"
            ? "buckets of both directions, where keys after the query are to have none (causal)"
            : "buckets of one direction (causal), where keys after the query have buckets of their "
              "own";
    maps.push_back(std::move(*map));
  }
}

// Known values, and the run of values that the observed buckets leave: those of a greater distance
// are lower.
void distance(const Expectation& expected, const Given& changes, const BucketBalance& balance,
              std::int64_t farthest, std::vector<BucketMap>& maps) {
  const Deciding* names = deciding_of(expected);
  if (!names) return;
  const std::string was = text_of(expected, changes, names->distance);
  for (const int known : {128, 256, 512, 64,  32,  1024, 800, 2048, 16,  8,   4,    20,  40,
                          48,  80,  96,  100, 160, 200,  320, 400,  500, 640, 1000, 4096}) {
    const std::string value = std::to_string(known);
    if (value == was || (names->clips && known > farthest + 1)) continue;
    if (auto map = changed(expected, changes, names->distance, value))
      maps.push_back(std::move(*map));
  }
  if (!balance) return;
  std::int64_t low = 2,
               high = names->clips ? std::clamp<std::int64_t>(farthest + 1, 2, 1 << 20) : 1 << 20;
  const double sign = names->clips ? 1 : -1;  // of what a longer distance does to buckets
  const auto below = [&](std::int64_t value) {
    const auto map = changed(expected, changes, names->distance, std::to_string(value));
    return !map || sign * balance(map->buckets) > 0;
  };
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (below(middle))
      low = middle + 1;
    else
      high = middle;
  }
  if (auto map = changed(expected, changes, names->distance, std::to_string(low))) {
    map->sentence =
        fmt::format("{} {} or a little more, where {} is meant", names->distance, low, was);
    map->cost = 1.2;
    maps.push_back(std::move(*map));
  }
}

void count(const Expectation& expected, const Given& changes, std::vector<BucketMap>& maps) {
  const Deciding* names = deciding_of(expected);
  if (!names || !names->count) return;
  const std::string was = text_of(expected, changes, names->count);
  for (const int known :
       {32, 16, 64, 8, 128, 24, 48, 256, 320, 512, 4, 12, 20, 40, 96, 160, 31, 33, 63, 65}) {
    const std::string value = std::to_string(known);
    if (value == was) continue;
    if (auto map = changed(expected, changes, names->count, value)) maps.push_back(std::move(*map));
  }
}

// The part of the way from the first logarithmic bucket to the last that a distance has come, as a
// real number of buckets.
struct Logarithm {
  Index exact = 0, steps = 0;
  double farthest = 0;
  double at(std::int64_t distance) const {
    return std::log(static_cast<double>(distance) / static_cast<double>(exact)) /
           std::log(farthest / static_cast<double>(exact)) * static_cast<double>(steps);
  }
};

constexpr double hair = 1e-9;  // far above the rounding of `at`, far below its least distance from
                               // a whole number that it does not equal

// Buckets of the distance's part beyond `exact`; each side of `from` keeps where it begins.
Buckets rebounded(const Buckets& from, const Logarithm& logarithm, bool both, Index last,
                  double (*bucket)(double)) {
  Buckets map = from;
  map.of = [=](std::int64_t query, std::int64_t key) -> Index {
    const std::int64_t relative = key - query, distance = std::abs(relative);
    if (distance < logarithm.exact || (!both && relative > 0)) return from.of(query, key);
    const Index start = both && relative > 0 ? last + 1 : 0;
    const auto steps = static_cast<Index>(std::max(0.0, bucket(logarithm.at(distance))));
    return start + std::min(last, logarithm.exact + steps);
  };
  return map;
}

// As DeBERTa has it: ±(mid + steps) + span.
Buckets deberta_rebounded(const Buckets& from, const Logarithm& logarithm, Index span,
                          double (*bucket)(double)) {
  Buckets map = from;
  map.of = [=](std::int64_t query, std::int64_t key) -> Index {
    const std::int64_t offset = query - key, distance = std::abs(offset);
    if (distance <= logarithm.exact) return from.of(query, key);
    const Index size =
        logarithm.exact + static_cast<Index>(std::max(0.0, bucket(logarithm.at(distance))));
    return std::clamp<Index>((offset < 0 ? -size : size) + span, 0, 2 * span - 1);
  };
  return map;
}

double strictly_below(double x) { return std::ceil(x - hair) - 1; }
double nearest(double x) { return std::floor(x + 0.5); }
double whole_up(double x) { return std::ceil(x - hair); }
double whole_down(double x) { return std::floor(x + hair); }
double strictly_above(double x) { return std::floor(x + hair) + 1; }

void boundary(const Expectation& expected, const Buckets& from, const Given& changes,
              std::vector<BucketMap>& maps) {
  const auto number = [&](const char* name) {
    return std::strtoll(text_of(expected, changes, name).c_str(), nullptr, 10);
  };
  const std::string_view name = expected.encoding->name;
  if (name == "t5") {
    const bool both = text_of(expected, changes, "bidirectional") == "true";
    const Index one_way = both ? number("num-buckets") / 2 : number("num-buckets"),
                exact = one_way / 2;
    const Logarithm logarithm{exact, one_way - exact, static_cast<double>(number("max-distance"))};
    maps.push_back({rebounded(from, logarithm, both, one_way - 1, &strictly_below),
                    "a distance that lies on a boundary has the bucket below it: > for >=, or a "
                    "float logarithm that comes out short",
                    1});
    maps.push_back({rebounded(from, logarithm, both, one_way - 1, &nearest),
                    "the logarithm is rounded to the nearest bucket, where it is to be cut off",
                    1});
    maps.push_back({rebounded(from, logarithm, both, one_way - 1, &whole_up),
                    "the logarithm is rounded up, where it is to be cut off", 1});
  }
  if (name == "deberta" && number("position-buckets") > 2) {
    const Index span = number("position-buckets"), mid = span / 2;
    const Logarithm logarithm{mid, mid - 1,
                              static_cast<double>(number("max-relative-positions") - 1)};
    maps.push_back({deberta_rebounded(from, logarithm, span, &whole_down),
                    "the logarithm is cut off, where it is to be rounded up", 1});
    maps.push_back({deberta_rebounded(from, logarithm, span, &nearest),
                    "the logarithm is rounded to the nearest bucket, where it is to be rounded up",
                    1});
    maps.push_back({deberta_rebounded(from, logarithm, span, &strictly_above),
                    "a distance that lies on a boundary has the bucket above it", 1});
  }
  if (!from.by_offset) return;
  for (const int more : {-1, 1}) {
    Buckets map = from;
    map.of = [of = from.of, more](std::int64_t query, std::int64_t key) {
      const std::int64_t relative = key - query;
      return of(0, relative > 0   ? std::max<std::int64_t>(relative + more, 0)
                   : relative < 0 ? std::min<std::int64_t>(relative - more, 0)
                                  : 0);
    };
    maps.push_back(
        {std::move(map),
         fmt::format("every boundary lies one distance {}", more < 0 ? "later" : "earlier"), 1.1});
  }
}

void offset(const Buckets& from, std::vector<BucketMap>& maps) {
  for (const int more : {1, -1}) {
    Buckets shifted = from;
    shifted.of = [of = from.of, more, last = from.count - 1](std::int64_t query, std::int64_t key) {
      return std::clamp<Index>(of(query, key) + more, 0, last);
    };
    maps.push_back(
        {std::move(shifted), fmt::format("every bucket is one {}", more > 0 ? "more" : "less"), 1});
    if (!from.by_offset) continue;
    Buckets moved = from;
    moved.of = [of = from.of, more](std::int64_t query, std::int64_t key) {
      return of(query - more, key);
    };
    maps.push_back(
        {std::move(moved),
         fmt::format("key - query is one {} than it should be", more > 0 ? "more" : "less"), 1});
  }
}

}  // namespace

std::optional<Buckets> buckets_of(const Effect& effect) {
  if (const Relative* relative = std::get_if<Relative>(&effect)) return relative->buckets;
  const Bias* bias = std::get_if<Bias>(&effect);
  return bias ? bias->buckets : std::nullopt;
}

std::vector<BucketMap> bucket_maps(const Expectation& expected, const Buckets& from,
                                   BucketFault fault, const Given& changes,
                                   const BucketBalance& balance, std::int64_t farthest) {
  std::vector<BucketMap> maps;
  switch (fault) {
    case BucketFault::direction:
      direction(expected, changes, maps);
      break;
    case BucketFault::max_distance:
      distance(expected, changes, balance, farthest, maps);
      break;
    case BucketFault::count:
      count(expected, changes, maps);
      break;
    case BucketFault::boundary:
      boundary(expected, from, changes, maps);
      break;
    case BucketFault::offset:
      offset(from, maps);
      break;
  }
  return maps;
}

Bias with_buckets(const Bias& bias, const Buckets& buckets, Index farthest) {
  // The weights, from the first pair that reads each.
  const auto of = bias.buckets->of;
  std::map<Index, Index> places;  // bucket → key − query
  for (Index distance = 0; distance <= farthest; ++distance)
    for (const Index relative : {-distance, distance}) places.emplace(of(0, relative), relative);
  auto weights =
      std::make_shared<std::vector<std::map<Index, double>>>(static_cast<std::size_t>(bias.heads));
  for (Index head = 0; head < bias.heads; ++head)
    for (const auto& [bucket, relative] : places) {
      double value = 0;
      bias.fill(head, 0, {relative, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(&value));
      (*weights)[static_cast<std::size_t>(head)][bucket] = value;
    }
  Bias other = bias;
  other.buckets = buckets;
  other.fill = [weights, of = buckets.of](Index head, std::int64_t query, const PositionRange& keys,
                                          DType, std::byte* out) {
    const auto& own = (*weights)[static_cast<std::size_t>(head)];
    auto* values = reinterpret_cast<double*>(out);
    for (Index i = 0; i < keys.count; ++i) {
      const auto found = own.find(of(query, keys.at(i)));
      values[i] = found == own.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    }
  };
  return other;
}

}  // namespace pe
