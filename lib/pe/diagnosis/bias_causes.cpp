// What goes wrong with biases, each cause with the stories that it offers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/diagnosis/bias_world.hpp"
#include "pe/diagnosis/bucket_maps.hpp"
#include "pe/diagnosis/score_tally.hpp"

namespace pe {

const std::vector<Real>& slopes_of(const BiasWorld& world, Index heads, const std::string& form) {
  const auto [place, made_now] = world.ladders->try_emplace({heads, form});
  if (!made_now) return place->second;
  Given changes{{"heads", {std::to_string(heads), "diagnosis"}}};
  if (!form.empty()) changes["slopes"] = {form, "diagnosis"};
  const auto made = world.expected->remake ? world.expected->remake(changes) : std::nullopt;
  if (made) place->second = std::get<Bias>(made->effect).slopes;
  return place->second;
}

namespace {

using Offers = std::vector<Proposal<BiasStory>>;

bool linear(const BiasStory& story) { return !story.slopes.empty(); }

BiasStory with_slopes(const BiasWorld& world, const BiasStory& story, std::vector<Real> slopes) {
  BiasStory other = story;
  other.slopes = std::move(slopes);
  other.heads.resize(static_cast<std::size_t>(world.shape.heads));
  std::iota(other.heads.begin(), other.heads.end(), Index{0});
  return other;
}

Index power_below(Index n) {
  Index power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

Offers ladders(const BiasWorld& world, const BiasStory& story) {
  Offers offers;
  if (!linear(story)) return offers;
  const Index meant = world.bias->heads, heads = world.shape.heads;
  const auto offer = [&](Index of, const std::string& form, std::string sentence, double cost) {
    std::vector<Real> slopes = slopes_of(world, of, form);
    if (std::ssize(slopes) >= heads) offers.push_back({with_slopes(world, story, std::move(slopes)), std::move(sentence), cost});
  };
  const std::string form = world.expected->parameters.choice("slopes"), other = form == "code" ? "paper" : "code";
  const std::string names = "where those of {} are meant";
  if ((meant & (meant - 1)) != 0)
    offer(meant, other, other == "paper" ? fmt::format("one ladder 2^(-8h/{}) for all heads, where the authors' code has two interleaved ladders", meant)
                                         : fmt::format("the two ladders of the authors' code, where one, 2^(-8h/{}), is meant", meant), 1);
  const auto offer_count = [&](Index of, double cost) {
    if (of != meant) offer(of, "", fmt::format("the first slopes of {} heads, where those of {} are meant", of, meant), cost);
  };
  offer_count(2 * power_below(meant), 1);
  offer_count(power_below(meant), 1);
  for (Index of = heads; of <= 2 * std::max(heads, meant) && heads <= 256; ++of) offer_count(of, of % 8 == 0 ? 1.1 : 1.2);
  return offers;
}

// A ladder of another first slope and another ratio, both powers of 2 with small fractions for exponents.
Offers fitted_ladder(const BiasWorld& world, const BiasStory& story) {
  const Index heads = world.shape.heads;
  if (!linear(story) || heads < 3) return {};
  const std::vector<double> ratios = slope_ratios(world, story);
  const auto slope = [&](Index head) {
    const auto h = static_cast<std::size_t>(head);
    return ratios[h] * to_double(story.slopes[static_cast<std::size_t>(story.heads[h])]);
  };
  const double first = std::log2(slope(0)), last = std::log2(slope(heads - 1));
  if (!std::isfinite(first) || !std::isfinite(last)) return {};
  Offers offers;
  const double step = (last - first) / static_cast<double>(heads - 1);
  for (const Index parts : {heads - 1, heads, heads + 1, world.bias->heads, Index{1}}) {
    const double over = step * static_cast<double>(parts), start = first * static_cast<double>(parts);
    if (std::fabs(over - std::nearbyint(over)) > 1e-3 || std::fabs(start - std::nearbyint(start)) > 1e-3 || over == 0) continue;
    const auto up = static_cast<std::int64_t>(std::nearbyint(over)), from = static_cast<std::int64_t>(std::nearbyint(start));
    std::vector<Real> slopes;
    for (Index head = 0; head < heads; ++head) slopes.push_back(pow(Real(2), Real(from + up * head) / parts));
    const std::string meant = (world.bias->heads & (world.bias->heads - 1)) == 0 ? fmt::format("2^(-8(h+1)/{})", world.bias->heads)
                                                                                 : std::string("the authors' two ladders");
    offers.push_back({with_slopes(world, story, std::move(slopes)),
                      fmt::format("slope h is 2^({}{:+}h/{}), h from 0, where {} is meant", from % parts == 0 ? fmt::format("{}", from / parts) : fmt::format("{}/{}", from, parts),
                                  up, parts, meant),
                      1.4});
    break;
  }
  return offers;
}

Offers all_ladders(const BiasWorld& world, const BiasStory& story) {
  Offers offers = ladders(world, story);
  for (auto& offer : fitted_ladder(world, story)) offers.push_back(std::move(offer));
  return offers;
}

// 2^(−8(h + shift)/n) for h = 1 …; the second ladder is that of twice the power of two, every second slope.
Offers exponents(const BiasWorld& world, const BiasStory& story) {
  Offers offers;
  if (!linear(story) || world.shape.heads != world.bias->heads) return offers;
  const Index heads = world.bias->heads;
  const bool paper = world.expected->parameters.choice("slopes") == "paper";
  const Index power = paper ? heads : power_below(heads);
  for (const int shift : {-1, 1}) {
    std::vector<Real> slopes;
    for (Index h = 1; h <= power; ++h) slopes.push_back(pow(Real(2), Real(-8 * (h + shift)) / power));
    for (Index h = 0; h < heads - power; ++h) slopes.push_back(pow(Real(2), Real(-8 * (2 * h + 1 + shift)) / (2 * power)));
    offers.push_back({with_slopes(world, story, std::move(slopes)),
                      shift < 0 ? fmt::format("the powers of the slopes count from 0: 2^(-8h/{}), h = 0, 1, …", power)
                                : fmt::format("the powers of the slopes count from 2: the first slope is missing, 2^(-8h/{}), h = 2, 3, …", power),
                      1});
  }
  return offers;
}

Offers orders(const BiasWorld& world, const BiasStory& story) {
  if (!linear(story) || world.shape.heads != world.bias->heads || world.shape.heads < 2) return {};
  const std::vector<double> ratios = slope_ratios(world, story);
  const auto heads = static_cast<std::size_t>(world.shape.heads);
  std::vector<double> meant(heads), got(heads);
  for (std::size_t h = 0; h < heads; ++h) {
    meant[h] = to_double(story.slopes[h]);
    got[h] = ratios[h] * to_double(story.slopes[static_cast<std::size_t>(story.heads[h])]);
    if (!std::isfinite(got[h])) return {};
  }
  BiasStory other = story;
  std::vector<bool> taken(heads, false);
  for (std::size_t h = 0; h < heads; ++h) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < heads; ++i)
      if (std::fabs(std::log2(got[h] / meant[i])) < std::fabs(std::log2(got[h] / meant[nearest]))) nearest = i;
    if (taken[nearest]) return {};
    taken[nearest] = true, other.heads[h] = static_cast<Index>(nearest);
  }
  if (other.heads == story.heads) return {};
  const auto half = static_cast<std::ptrdiff_t>(power_below(world.bias->heads));
  std::vector<Index> turned(heads);
  std::iota(turned.begin(), turned.end(), Index{0});
  std::vector<Index> behind = turned;
  std::ranges::reverse(turned);
  std::rotate(behind.begin(), behind.begin() + half, behind.end());
  std::string sentence = "the slopes are those meant, in another order";
  if (std::ranges::is_sorted(got, std::greater{})) sentence = "the slopes are sorted, where the second ladder follows the first";
  else if (std::ranges::is_sorted(got)) sentence = "the slopes are sorted, the flattest first";
  if (other.heads == turned) sentence = "the heads are in reverse order";
  if (other.heads == behind) sentence = "the second ladder stands before the first";
  return {{std::move(other), std::move(sentence), 1}};
}

// The heads of one rank, or of all ranks one behind the other.
Offers head_slices(const BiasWorld& world, const BiasStory& story) {
  const Index heads = world.shape.heads, meant = world.bias->heads;
  if (!linear(story)) return {};
  Offers offers;
  if (heads < meant) {
    const std::vector<Real>& slopes = slopes_of(world, heads, "");
    if (std::ssize(slopes) == heads)
      offers.push_back({with_slopes(world, story, slopes),
                        fmt::format("a rank's {} heads have the slopes of a model of {} heads, where a slice of those of {} is meant", heads, heads, meant), 1});
    return offers;
  }
  const auto repeated = [&](const std::vector<Real>& slopes, Index own) {
    std::vector<Real> all;
    while (std::ssize(all) < heads) all.insert(all.end(), slopes.begin(), slopes.begin() + own);
    return with_slopes(world, story, std::move(all));
  };
  for (Index own = heads / 2; own >= 1 && heads == meant; --own) {
    if (heads % own != 0) continue;
    offers.push_back({repeated(world.bias->slopes, own), fmt::format("each of {} ranks has the first {} slopes, where it should have its own", heads / own, own), 1});
    if (const std::vector<Real>& slopes = slopes_of(world, own, ""); std::ssize(slopes) == own)
      offers.push_back({repeated(slopes, own), fmt::format("each of {} ranks has the slopes of a model of {} heads, where it should have its part of those of {}", heads / own, own, meant), 1});
  }
  return offers;
}

Offers sign(const BiasWorld&, const BiasStory& story) {
  BiasStory other = story;
  other.scale = -story.scale;
  return {{std::move(other), "the sign of the bias is turned: distant keys get a bonus", 1}};
}

Offers scales(const BiasWorld& world, const BiasStory& story) {
  std::vector<double> ratios = slope_ratios(world, story);
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio) || ratio == 0; });
  if (ratios.empty()) return {};
  std::ranges::nth_element(ratios, ratios.begin() + std::ssize(ratios) / 2);
  const double ratio = ratios[ratios.size() / 2] * story.scale;
  struct Known {
    double value;
    const char* words;
  };
  const Known known[] = {{1.4426950408889634, "log2(e): the bias is that of a base-2 softmax"}, {0.6931471805599453, "ln 2"}, {2, "2"}, {0.5, "1/2"},
                         {4, "4"}, {0.25, "1/4"}, {8, "8, as of √64"}, {0.125, "1/8, as of 1/√64"}, {11.313708498984761, "√128"},
                         {0.08838834764831845, "1/√128"}, {10, "10"}, {0.1, "1/10"}};
  Offers offers;
  for (const int turn : {1, -1})
    for (const Known& one : known)
      if (std::fabs(ratio / (turn * one.value) - 1) < 4e-3) {
        BiasStory other = story;
        other.scale = turn * one.value;
        offers.push_back({std::move(other), fmt::format("the bias is multiplied by {}{}", turn < 0 ? "-" : "", one.words), 1.05});
      }
  if (std::fabs(std::fabs(ratio) - 1) > 1e-6) {
    BiasStory other = story;
    other.scale = ratio;
    offers.push_back({std::move(other), fmt::format("the bias is multiplied by {:.6g}", ratio), 1.3});
  }
  return offers;
}

Offers distances(const BiasWorld&, const BiasStory& story) {
  Offers offers;
  for (const std::int64_t more : {1, -1})
    for (const bool kept : {false, true}) {
      if (kept && !linear(story)) continue;
      BiasStory other = story;
      other.farther = more, other.kept_diagonal = kept;
      offers.push_back({std::move(other), fmt::format("every distance{} is counted as one {}", kept ? " but 0" : "", more > 0 ? "more" : "less"), 1});
    }
  return offers;
}

Offers one_sided(const BiasWorld& world, const BiasStory& story) {
  if (world.bias->causal) return {};
  Offers offers;
  BiasStory masked = story, bonus = story;
  masked.masked = true;
  if (const auto made = linear(story) || !world.expected->remake ? std::nullopt : world.expected->remake({{"causal", {"true", "diagnosis"}}}))
    masked.bias = std::make_shared<const Bias>(std::get<Bias>(made->effect));
  if (linear(story) || masked.bias->causal) offers.push_back({std::move(masked), "keys after the query are masked, where both sides are punished alike", 1});
  bonus.signed_distance = true;
  if (linear(story)) offers.push_back({std::move(bonus), "the distance is taken with its sign, so that keys after the query get a bonus, where its magnitude is meant", 1});
  return offers;
}

Offers transposed(const BiasWorld& world, const BiasStory& story) {
  if (world.shape.slopes || world.shape.queries != world.shape.keys) return {};
  BiasStory other = story;
  other.transposed = !story.transposed;
  const bool buckets = world.bias->buckets.has_value();
  return {{std::move(other), buckets ? "the bucket is that of query - key, where key - query is meant (or queries and keys are swapped)" : "queries and keys are swapped", 1}};
}
Offers bias_transposed(const BiasWorld& world, const BiasStory& story) { return world.bias->buckets ? Offers{} : transposed(world, story); }
Offers bucket_transposed(const BiasWorld& world, const BiasStory& story) { return world.bias->buckets ? transposed(world, story) : Offers{}; }

Offers alignment(const BiasWorld& world, const BiasStory& story) {
  const BiasShape& shape = world.shape;
  if (shape.slopes || shape.queries == shape.keys) return {};
  BiasStory other = story;
  other.query_shift = shape.first_key - shape.first_query;
  if (world.bias->rows && shape.first_query + other.query_shift < 0) return {};
  return {{std::move(other), fmt::format("the {} queries are aligned to the first of the {} keys, where they are the last", shape.queries, shape.keys), 1}};
}

Offers zero(const BiasWorld& world, const BiasStory& story) {
  BiasStory none = story;
  none.zero_from = std::numeric_limits<std::int64_t>::min();
  none.constant = BiasStory::Constant::none;
  if (world.shape.slopes) none.scale = 0;
  Offers offers = {{std::move(none), "there is no bias: every value is 0", 1}};
  // From the first query on whose row is nothing but zeros.
  std::optional<std::int64_t> from;
  for (const BiasWorld::Probe& probe : world.probes) {
    const bool zeros = std::ranges::all_of(probe.got, [&](double value) { return value == 0 || world.is_masked(value); });
    if (probe.head == 0 && zeros && probe.query > world.shape.first_query && !from) from = probe.query;
    if (probe.head == 0 && !zeros) from = {};
  }
  if (!from) return offers;
  BiasStory late = story;
  late.zero_from = from;
  late.constant = BiasStory::Constant::none;
  offers.push_back({std::move(late), fmt::format("there is no bias for queries from about position {} on", *from), 1.2});
  return offers;
}

Offers short_positions(const BiasWorld& world, const BiasStory& story) {
  Offers offers;
  if (!linear(story) || world.shape.slopes) return offers;
  for (const DType type : {DType::bf16, DType::f16})
    for (const auto rounded : {BiasStory::Rounded::distances, BiasStory::Rounded::positions})
      for (const auto constant : {story.constant, BiasStory::Constant::key, BiasStory::Constant::key_from_last}) {
        if (constant != story.constant && (!story.masked || rounded == BiasStory::Rounded::positions)) continue;
        BiasStory other = story;
        other.rounded = rounded, other.short_type = type, other.constant = constant;
        offers.push_back({std::move(other),
                          fmt::format("{} are rounded to {}, so that those beyond {} fall together", rounded == BiasStory::Rounded::distances && constant == story.constant ? "distances" : "positions",
                                      name_of(type), type == DType::bf16 ? 256 : 2048),
                          1});
      }
  return offers;
}

Offers short_values(const BiasWorld& world, const BiasStory& story) {
  Offers offers;
  for (const DType type : {DType::f16, DType::bf16}) {
    BiasStory other = story;
    other.storage = type;
    offers.push_back({std::move(other), world.dtype == type ? fmt::format("slopes or products are rounded to {} before the last rounding", name_of(type))
                                                            : fmt::format("the values are rounded to {} before they are written as {}", name_of(type), name_of(world.dtype)),
                      type == DType::f16 ? 1 : 1.01});
  }
  return offers;
}

// The same weights behind another map of buckets.
template <int which>
Offers bucketed(const BiasWorld& world, const BiasStory& story) {
  Offers offers;
  if (!world.bias->buckets || world.shape.slopes) return offers;
  for (BucketMap& map : bucket_maps(*world.expected, *world.bias->buckets, static_cast<BucketFault>(which))) {
    BiasStory other = story;
    const auto made = map.changes.empty() ? std::nullopt : world.expected->remake(map.changes);
    other.bias = made ? std::make_shared<const Bias>(std::get<Bias>(made->effect))
                      : std::make_shared<const Bias>(with_buckets(*world.bias, map.buckets, world.shape.last_key() - world.shape.first_key));
    offers.push_back({std::move(other), std::move(map.sentence), map.cost});
  }
  return offers;
}

constexpr Cause<BiasWorld> causes[] = {
    {{"alibi-ladder", "the slopes are those of another head count, or of another rule", "bias"}, "slopes", &all_ladders},
    {{"alibi-head-slice", "a rank of a parallel run makes slopes for its own heads alone", "bias"}, "slopes", &head_slices},
    {{"alibi-exponent", "the powers of the slopes count from 0 or from 2 instead of 1", "bias"}, "slopes", &exponents},
    {{"alibi-order", "the slopes are right and their order is not", "bias"}, "heads", &orders},
    {{"bias-sign", "the bias has the other sign", "bias"}, "scale", &sign},
    {{"bias-transposed", "queries and keys are swapped", "bias"}, "axes", &bias_transposed},
    {{"bucket-transposed", "the buckets are those of the offset's other sign", "bias buckets"}, "axes", &bucket_transposed},
    {{"bias-alignment", "queries are aligned to the first keys instead of the last", "bias buckets"}, "alignment", &alignment},
    {{"bias-distance", "distances are off by one", "bias"}, "distance", &distances},
    {{"bias-symmetric", "one side is treated as the other should be", "bias"}, "sides", &one_sided},
    {{"bias-zero", "there is no bias, in all or some rows", "bias"}, "zero", &zero},
    {{"bias-scaled", "the bias is multiplied by a constant", "bias"}, "scale", &scales},
    {{"bucket-direction", "buckets of both directions for those of one, or the reverse", "bias buckets"}, "buckets", &bucketed<0>},
    {{"bucket-max-distance", "the buckets end at another distance", "bias buckets"}, "buckets", &bucketed<1>},
    {{"bucket-boundary", "the boundaries of the buckets are off by one", "bias buckets"}, "buckets", &bucketed<3>},
    {{"bucket-offset", "every bucket is shifted by a constant", "bias buckets"}, "buckets", &bucketed<4>},
    {{"low-precision-positions", "positions or distances are rounded to a short type, so that distant ones fall together", "bias"}, "positions", &short_positions},
    {{"low-precision-bias", "the values were rounded to a shorter type than the file's", "bias", Tier::storage}, "storage", &short_values},
};

}  // namespace

std::span<const Cause<BiasWorld>> bias_world_causes() { return causes; }

}  // namespace pe
