// What goes wrong with biases, each cause with the stories that it offers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/bias_offers.hpp"
#include "pe/diagnosis/bucket_maps.hpp"
#include "pe/diagnosis/score_tally.hpp"

namespace pe {

namespace {

BiasOffers sign(const BiasWorld&, const BiasStory& story) {
  BiasStory other = story;
  other.scale = -story.scale;
  return {{std::move(other), "the sign of the bias is turned: distant keys get a bonus", 1}};
}

BiasOffers scales(const BiasWorld& world, const BiasStory& story) {
  std::vector<double> ratios = slope_ratios(world, story);
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio) || ratio == 0; });
  if (ratios.empty()) return {};
  std::ranges::nth_element(ratios, ratios.begin() + std::ssize(ratios) / 2);
  const double ratio = ratios[ratios.size() / 2] * story.scale;
  struct Known {
    double value;
    const char* words;
  };
  const Known known[] = {{1.4426950408889634, "log2(e): the bias is that of a base-2 softmax"},
                         {0.6931471805599453, "ln 2"},
                         {2, "2"},
                         {0.5, "1/2"},
                         {4, "4"},
                         {0.25, "1/4"},
                         {8, "8, as of √64"},
                         {0.125, "1/8, as of 1/√64"},
                         {11.313708498984761, "√128"},
                         {0.08838834764831845, "1/√128"},
                         {10, "10"},
                         {0.1, "1/10"}};
  BiasOffers offers;
  for (const int turn : {1, -1})
    for (const Known& one : known)
      if (std::fabs(ratio / (turn * one.value) - 1) < 4e-3) {
        BiasStory other = story;
        other.scale = turn * one.value;
        offers.push_back(
            {std::move(other),
             fmt::format("the bias is multiplied by {}{}", turn < 0 ? "-" : "", one.words), 1.05});
      }
  if (std::fabs(std::fabs(ratio) - 1) > 1e-6) {
    BiasStory other = story;
    other.scale = ratio;
    offers.push_back(
        {std::move(other), fmt::format("the bias is multiplied by {:.6g}", ratio), 1.3});
  }
  return offers;
}

BiasOffers distances(const BiasWorld&, const BiasStory& story) {
  BiasOffers offers;
  for (const std::int64_t more : {1, -1})
    for (const bool kept : {false, true}) {
      if (kept && !is_linear(story)) continue;
      BiasStory other = story;
      other.farther = more;
      other.kept_diagonal = kept;
      offers.push_back({std::move(other),
                        fmt::format("every distance{} is counted as one {}", kept ? " but 0" : "",
                                    more > 0 ? "more" : "less"),
                        1});
    }
  return offers;
}

BiasOffers one_sided(const BiasWorld& world, const BiasStory& story) {
  if (world.bias->causal) return {};
  BiasOffers offers;
  BiasStory masked = story, bonus = story;
  masked.masked = true;
  if (const auto made = is_linear(story) || !world.expected->remake
                            ? std::nullopt
                            : world.expected->remake({{"causal", {"true", "diagnosis"}}}))
    masked.bias = std::make_shared<const Bias>(std::get<Bias>(made->effect));
  if (is_linear(story) || masked.bias->causal)
    offers.push_back({std::move(masked),
                      "keys after the query are masked, where both sides are punished alike", 1});
  bonus.signed_distance = true;
  if (is_linear(story))
    offers.push_back({std::move(bonus),
                      "the distance is taken with its sign, so that keys after the query get a "
                      "bonus, where its magnitude is meant",
                      1});
  return offers;
}

BiasOffers transposed(const BiasWorld& world, const BiasStory& story) {
  if (world.shape.slopes || world.shape.queries != world.shape.keys) return {};
  BiasStory other = story;
  other.transposed = !story.transposed;
  const bool buckets = world.bias->buckets.has_value();
  return {{std::move(other),
           buckets ? "the bucket is that of query - key, where key - query is meant (or queries "
                     "and keys are swapped)"
                   : "queries and keys are swapped",
           1}};
}
BiasOffers bias_transposed(const BiasWorld& world, const BiasStory& story) {
  return world.bias->buckets ? BiasOffers{} : transposed(world, story);
}
BiasOffers bucket_transposed(const BiasWorld& world, const BiasStory& story) {
  return world.bias->buckets ? transposed(world, story) : BiasOffers{};
}

BiasOffers alignment(const BiasWorld& world, const BiasStory& story) {
  const BiasShape& shape = world.shape;
  if (shape.slopes || shape.queries == shape.keys) return {};
  BiasStory other = story;
  other.query_shift = shape.first_key - shape.first_query;
  if (world.bias->rows && shape.first_query + other.query_shift < 0) return {};
  return {{std::move(other),
           fmt::format(
               "the {} queries are aligned to the first of the {} keys, where they are the last",
               shape.queries, shape.keys),
           1}};
}

BiasOffers zero(const BiasWorld& world, const BiasStory& story) {
  BiasStory none = story;
  none.zero_from = std::numeric_limits<std::int64_t>::min();
  none.constant = BiasStory::Constant::none;
  if (world.shape.slopes) none.scale = 0;
  BiasOffers offers = {{std::move(none), "there is no bias: every value is 0", 1}};
  // From the first query on whose row is nothing but zeros.
  std::optional<std::int64_t> from;
  for (const BiasWorld::Probe& probe : world.probes) {
    const bool zeros = std::ranges::all_of(
        probe.got, [&](double value) { return value == 0 || world.is_masked(value); });
    if (probe.head == 0 && zeros && probe.query > world.shape.first_query && !from)
      from = probe.query;
    if (probe.head == 0 && !zeros) from = {};
  }
  if (!from) return offers;
  BiasStory late = story;
  late.zero_from = from;
  late.constant = BiasStory::Constant::none;
  offers.push_back({std::move(late),
                    fmt::format("there is no bias for queries from about position {} on", *from),
                    1.2});
  return offers;
}

BiasOffers short_positions(const BiasWorld& world, const BiasStory& story) {
  BiasOffers offers;
  if (!is_linear(story) || world.shape.slopes) return offers;
  for (const DType type : {DType::bf16, DType::f16})
    for (const auto rounded : {BiasStory::Rounded::distances, BiasStory::Rounded::positions})
      for (const auto constant :
           {story.constant, BiasStory::Constant::key, BiasStory::Constant::key_from_last}) {
        if (constant != story.constant &&
            (!story.masked || rounded == BiasStory::Rounded::positions))
          continue;
        BiasStory other = story;
        other.rounded = rounded;
        other.short_type = type;
        other.constant = constant;
        offers.push_back(
            {std::move(other),
             fmt::format("{} are rounded to {}, so that those beyond {} fall together",
                         rounded == BiasStory::Rounded::distances && constant == story.constant
                             ? "distances"
                             : "positions",
                         name_of(type), type == DType::bf16 ? 256 : 2048),
             1});
      }
  return offers;
}

BiasOffers short_values(const BiasWorld& world, const BiasStory& story) {
  BiasOffers offers;
  // slope·key has roundings of its own, which no constant read off a row makes good.
  const BiasShape& shape = world.shape;
  const bool past = story.masked || (shape.queries == 1 && shape.first_query >= shape.last_key());
  for (const DType type : {DType::f16, DType::bf16})
    for (const auto constant :
         {story.constant, BiasStory::Constant::key, BiasStory::Constant::key_from_last}) {
      if (constant != story.constant && (!past || !is_linear(story) || shape.slopes)) continue;
      BiasStory other = story;
      other.storage = type;
      other.constant = constant;
      offers.push_back(
          {std::move(other),
           world.dtype == type
               ? fmt::format("slopes or products are rounded to {} before the last rounding",
                             name_of(type))
               : fmt::format("the values are rounded to {} before they are written as {}",
                             name_of(type), name_of(world.dtype)),
           (type == DType::f16 ? 1 : 1.01) +
               (past && constant == BiasStory::Constant::any ? 0.02 : 0)});
    }
  return offers;
}

// The same weights behind another map of buckets.
template <int which>
BiasOffers bucketed(const BiasWorld& world, const BiasStory& story) {
  BiasOffers offers;
  if (!world.bias->buckets || world.shape.slopes) return offers;
  for (BucketMap& map :
       bucket_maps(*world.expected, *world.bias->buckets, static_cast<BucketFault>(which))) {
    BiasStory other = story;
    const auto made = map.changes.empty() ? std::nullopt : world.expected->remake(map.changes);
    other.bias =
        made ? std::make_shared<const Bias>(std::get<Bias>(made->effect))
             : std::make_shared<const Bias>(with_buckets(
                   *world.bias, map.buckets, world.shape.last_key() - world.shape.first_key));
    offers.push_back({std::move(other), std::move(map.sentence), map.cost});
  }
  return offers;
}

constexpr Cause<BiasWorld> causes[] = {
    {{"alibi-ladder", "the slopes are those of another head count, or of another rule", "bias"},
     "slopes",
     &offer_ladders},
    {{"alibi-head-slice", "a rank of a parallel run makes slopes for its own heads alone", "bias"},
     "slopes",
     &offer_head_slices},
    {{"alibi-exponent", "the powers of the slopes count from 0 or from 2 instead of 1", "bias"},
     "slopes",
     &offer_exponents},
    {{"alibi-order", "the slopes are right and their order is not", "bias"},
     "heads",
     &offer_orders},
    {{"bias-sign", "the bias has the other sign", "bias"}, "scale", &sign},
    {{"bias-transposed", "queries and keys are swapped", "bias"}, "axes", &bias_transposed},
    {{"bucket-transposed", "the buckets are those of the offset's other sign", "bias buckets"},
     "axes",
     &bucket_transposed},
    {{"bias-alignment", "queries are aligned to the first keys instead of the last",
      "bias buckets"},
     "alignment",
     &alignment},
    {{"bias-distance", "distances are off by one", "bias"}, "distance", &distances},
    {{"bias-symmetric", "one side is treated as the other should be", "bias"}, "sides", &one_sided},
    {{"bias-zero", "there is no bias, in all or some rows", "bias"}, "zero", &zero},
    {{"bias-scaled", "the bias is multiplied by a constant", "bias"}, "scale", &scales},
    {{"bucket-direction", "buckets of both directions for those of one, or the reverse",
      "bias buckets"},
     "buckets",
     &bucketed<0>},
    {{"bucket-max-distance", "the buckets end at another distance", "bias buckets"},
     "buckets",
     &bucketed<1>},
    {{"bucket-boundary", "the boundaries of the buckets are off by one", "bias buckets"},
     "buckets",
     &bucketed<3>},
    {{"bucket-offset", "every bucket is shifted by a constant", "bias buckets"},
     "buckets",
     &bucketed<4>},
    {{"low-precision-positions",
      "positions or distances are rounded to a short type, so that distant ones fall together",
      "bias"},
     "positions",
     &short_positions},
    {{"low-precision-bias", "the values were rounded to a shorter type than the file's", "bias",
      Tier::storage},
     "storage",
     &short_values},
};

}  // namespace

std::span<const Cause<BiasWorld>> bias_world_causes() { return causes; }

}  // namespace pe
