// What goes wrong with biases, each cause with the hypotheses that it proposals.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/buckets/maps.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/other_settings.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {

namespace {

BiasProposals sign(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasHypothesis other = hypothesis;
  other.scale = -hypothesis.scale;
  const bool falls = is_by_distance(hypothesis) && !observation.bias->buckets;
  return {{std::move(other),
           falls ? "the sign of the bias is turned: distant keys get a bonus"
                 : "the sign of the bias is turned",
           1}};
}

BiasProposals scales(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  std::vector<double> ratios = slope_ratios(observation, hypothesis);
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio) || ratio == 0; });
  if (ratios.empty()) return {};
  std::ranges::nth_element(ratios, ratios.begin() + std::ssize(ratios) / 2);
  const double ratio = ratios[ratios.size() / 2] * hypothesis.scale;
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
  BiasProposals proposals;
  for (const int turn : {1, -1})
    for (const Known& one : known)
      if (std::fabs(ratio / (turn * one.value) - 1) < 4e-3) {
        BiasHypothesis other = hypothesis;
        other.scale = turn * one.value;
        proposals.push_back(
            {std::move(other),
             fmt::format("the bias is multiplied by {}{}", turn < 0 ? "-" : "", one.words), 1.05});
      }
  if (std::fabs(std::fabs(ratio) - 1) > 1e-6) {
    BiasHypothesis other = hypothesis;
    other.scale = ratio;
    proposals.push_back({std::move(other), fmt::format("the bias is multiplied by {:.6g}", ratio),
                         ratio > 0 ? 1.3 : 2.3});  // a sign of its own
  }
  return proposals;
}

// The distance from which on the keys of the last query all have one bias; of the head that shows
// it last, for rounding may have made others' biases one before.
std::optional<std::int64_t> farthest_seen(const BiasObservation& observation) {
  const BiasShape& shape = observation.shape;
  if (shape.slopes || shape.keys < 4) return {};
  constexpr Index most = 64;  // heads
  std::vector<double> row(static_cast<std::size_t>(shape.keys));
  const auto open = [&](double value) {
    return std::isfinite(value) && !observation.mask->holds(value);
  };
  const std::int64_t query = shape.first_query + shape.queries - 1;
  std::optional<std::int64_t> farthest;
  for (Index head = 0; head < std::min(shape.heads, most); ++head) {
    observation.array->read(((head + 1) * shape.queries - 1) * shape.keys, shape.keys, row.data());
    const auto first = std::ranges::find_if(row, open);
    const auto end = std::find_if(first, row.end(), [&](double value) { return value != *first; });
    const std::int64_t last = shape.first_key + (end - row.begin()) - 1;
    if (end - first < 2 || end == row.end() || last >= query) continue;
    farthest = std::max(farthest.value_or(0), query - last);
  }
  return farthest;
}

BiasProposals distances(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (const auto farthest = farthest_seen(observation); farthest && is_by_distance(hypothesis)) {
    BiasHypothesis other = hypothesis;
    other.farthest = *farthest;
    proposals.push_back({std::move(other),
                         fmt::format("every distance beyond {0} is counted as {0}", *farthest),
                         1.05});
    // Of buckets; any other bias is 0 at a distance of 0.
    if (observation.bias->buckets && observation.bias->fill && !is_linear(hypothesis))
      proposals.push_back(
          {of_values(hypothesis, [last = static_cast<double>(*farthest) - 1](
                                     Index, double distance,
                                     double meant) { return distance > last ? 0 : meant; }),
           fmt::format("there is no bias beyond a distance of {}", *farthest - 1), 1.1});
  }
  for (const std::int64_t more : {1, -1, 2, -2})
    for (const bool kept : {false, true}) {
      if (kept && (!is_by_distance(hypothesis) || observation.bias->buckets)) continue;
      BiasHypothesis other = hypothesis;
      other.farther = more;
      other.kept_diagonal = kept;
      proposals.push_back(
          {std::move(other),
           fmt::format("every distance{} is counted as {} {}", kept ? " but 0" : "",
                       std::abs(more) == 1 ? "one" : "two", more > 0 ? "more" : "less"),
           std::abs(more) == 1 && !observation.bias->buckets ? 1 : 1.05});
    }
  // Where both sides are punished alike queries that stand elsewhere show; a mask, or a constant in
  // each row, hides them.
  for (const std::int64_t more : {1, -1})
    if (!observation.bias->causal && !hypothesis.masked && !observation.bias->rows) {
      BiasHypothesis other = hypothesis;
      other.query_shift += more;
      proposals.push_back({std::move(other),
                           fmt::format("queries stand one position {} than their own keys",
                                       more > 0 ? "later" : "earlier"),
                           1.05});
    }
  return proposals;
}

BiasProposals one_sided(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  if (observation.bias->causal) return {};
  BiasProposals proposals;
  BiasHypothesis masked = hypothesis, bonus = hypothesis;
  masked.masked = true;
  if (const auto made = is_linear(hypothesis) || !observation.expected->remake
                            ? std::nullopt
                            : observation.expected->remake({{"causal", true}}))
    masked.bias = std::make_shared<const Bias>(std::get<Bias>(made->effect));
  if (is_linear(hypothesis) || masked.bias->causal)
    proposals.push_back({std::move(masked),
                         "keys after the query are masked, where both sides are punished alike",
                         1});
  BiasHypothesis none = hypothesis;
  none.zero_later = true;
  none.constant = BiasHypothesis::Constant::none;
  proposals.push_back({std::move(none),
                       "keys after the query have no bias, where both sides are punished alike",
                       1});
  bonus.signed_distance = true;
  if (is_linear(hypothesis))
    proposals.push_back({std::move(bonus),
                         "the distance is taken with its sign, so that keys after the query get a "
                         "bonus, where its magnitude is meant",
                         1});
  return proposals;
}

BiasProposals transposed(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  // Where the offset alone decides, its sign may be taken wrongly for any number of queries.
  const bool by_offset = observation.bias->buckets && observation.bias->buckets->by_offset;
  if (observation.shape.slopes ||
      (observation.shape.queries != observation.shape.keys && !by_offset))
    return {};
  BiasHypothesis other = hypothesis;
  other.transposed = !hypothesis.transposed;
  const bool buckets = observation.bias->buckets && observation.bias->scaled_terms == 1;
  return {{std::move(other),
           buckets ? "the bucket is that of query - key, where key - query is meant (or queries "
                     "and keys are swapped)"
                   : "queries and keys are swapped",
           observation.shape.queries == observation.shape.keys ? 1 : 1.02}};
}
// Whether the first query of a dump that shows what is to be masked has, at the keys after it, the
// bias that these have for it.
bool is_mirrored(const BiasObservation& observation, const BiasHypothesis& mirrored) {
  const BiasShape& shape = observation.shape;
  std::vector<double> truth(static_cast<std::size_t>(shape.keys));
  observation.evaluate(mirrored, 0, shape.first_query, shape.first_key, shape.keys, truth.data());
  std::vector<double> got(truth.size());
  observation.array->read(0, shape.keys, got.data());
  bool any = false;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (!observation.is_later(shape.first_query, shape.first_key + static_cast<Index>(k))) continue;
    const double off = std::fabs(got[k] - truth[k]);
    if (!(off <= observation.allowed(mirrored, 0, truth[k], got[k], 0, static_cast<double>(k))))
      return false;
    any = any || truth[k] != 0;
  }
  return any;
}

BiasProposals bias_transposed(const BiasObservation& observation,
                              const BiasHypothesis& hypothesis) {
  // Of TUPE what buckets decide is a part of it alone.
  if (observation.bias->buckets && observation.bias->scaled_terms == 1) return {};
  BiasProposals proposals = transposed(observation, hypothesis);
  if (proposals.empty() || !observation.base.masked) return proposals;
  BiasHypothesis mirrored = proposals.front().hypothesis, none = hypothesis;
  mirrored.masked = false;
  if (!is_mirrored(observation, mirrored)) return proposals;
  none.zero_from = std::numeric_limits<std::int64_t>::min();
  none.constant = BiasHypothesis::Constant::none;
  proposals.push_back(
      {std::move(none),
       "queries and keys are swapped: keys after the query have the bias, and those "
       "before it have none",
       0.7});
  return proposals;
}

BiasProposals bucket_transposed(const BiasObservation& observation,
                                const BiasHypothesis& hypothesis) {
  return observation.bias->buckets && observation.bias->scaled_terms == 1
             ? transposed(observation, hypothesis)
             : BiasProposals{};
}

BiasProposals alignment(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  const BiasShape& shape = observation.shape;
  if (shape.slopes || shape.queries == shape.keys) return {};
  BiasHypothesis other = hypothesis;
  other.query_shift = shape.first_key - shape.first_query;
  if (observation.bias->rows && shape.first_query + other.query_shift < 0) return {};
  const std::string sentence = spell_misaligned(shape.queries, shape.keys);
  BiasProposals proposals = {{other, sentence, 1}};
  if (hypothesis.masked) {  // the bias alone, under a mask that is aligned as it should be
    other.masked = false;
    proposals.push_back({std::move(other), sentence + ", and the mask is not", 1.02});
  }
  return proposals;
}

// Heads that stand in another order: for each head of the dump the head meant that agrees with it.
BiasProposals permuted(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  constexpr Index most = 64;  // of which every one is probed
  const Index heads = observation.shape.heads;
  if (is_linear(hypothesis) || heads < 2 || heads > most || heads != observation.bias->heads)
    return {};
  BiasHypothesis other = hypothesis;
  double scale = 1;  // of all heads, told by a cause of its own
  for (Index head = 0; head < heads; ++head) {
    BiasObservation one = observation;
    std::erase_if(one.probes,
                  [&](const BiasObservation::Probe& probe) { return probe.plane % heads != head; });
    const auto at = static_cast<std::size_t>(head);
    BiasHypothesis guess = hypothesis;
    const auto is_head = [&](Index own, bool fitted) {
      guess.heads[at] = own;
      guess.scale = hypothesis.scale;
      if (fitted) scale = slope_ratios(one, guess)[at];
      guess.scale *= scale;
      return std::isfinite(scale) && scale != 0 && one.agrees(guess);
    };
    Index own = -1;
    for (Index i = 0; i < heads && own < 0; ++i)
      if (is_head((head + i) % heads, false)) own = (head + i) % heads;
    for (Index i = 0; i < heads && own < 0 && head == 0; ++i)
      if (is_head(i, true)) own = i;
    if (own < 0) return {};
    other.heads[at] = own;
  }
  if (other.heads == hypothesis.heads) return {};
  std::vector<Index> sorted = other.heads;
  std::ranges::sort(sorted);
  const bool is_order = std::ranges::adjacent_find(sorted) == sorted.end();
  const std::string order = fmt::format("{}", fmt::join(other.heads, ", "));
  return {{std::move(other),
           is_order ? "the heads stand in another order: " + order
                    : "some heads stand in others' places, too: " + order,
           is_order ? 1 : 1.05}};
}

// The given weight of a bucket that no pair reads; NaN where none was given.
double given_weight(const Expectation& expected, Index bucket, Index head) {
  const Array* const weights =
      expected.parameters.has("weights") ? &expected.parameters.tensor("weights") : nullptr;
  if (!weights || weights->rank() != 2 || bucket < 0 || bucket >= weights->shape()[0] ||
      head >= weights->shape()[1])
    return std::numeric_limits<double>::quiet_NaN();
  return weights->at(bucket * weights->shape()[1] + head);
}

// The same weights behind another map of buckets.
template <BucketFault fault>
BiasProposals bucketed(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (!observation.bias->buckets || observation.shape.slopes) return proposals;
  BucketEvidence evidence;
  const BiasShape& axes = observation.shape;
  constexpr bool bounded = fault == BucketFault::boundary || fault == BucketFault::max_distance;
  if (bounded && axes.queries > 0 && observation.bias->buckets->by_offset) {
    std::vector<double> row(static_cast<std::size_t>(axes.keys));
    observation.array->read((axes.queries - 1) * axes.keys, axes.keys, row.data());
    evidence.changes = changes_along(axes.first_query + axes.queries - 1, axes.first_key, row);
    evidence.farthest = axes.first_query + axes.queries - axes.first_key;
    if (fault == BucketFault::max_distance)
      evidence.balance = balance_of(evidence.changes, evidence.farthest);
  }
  // What nobody gave is what the dump holds for the pair.
  const auto unread = [&](Index head, Index bucket, std::int64_t query, std::int64_t key) {
    if (const double given = given_weight(*observation.expected, bucket, head);
        std::isfinite(given))
      return given;
    const std::int64_t offset = key - query;
    if (observation.bias->buckets->by_offset)
      query = std::max(axes.first_query, axes.first_key - offset);
    const Index row = query - axes.first_query, column = query + offset - axes.first_key;
    double value = std::numeric_limits<double>::quiet_NaN();
    if (head < axes.heads && row >= 0 && row < axes.queries && column >= 0 && column < axes.keys)
      observation.array->read((head * axes.queries + row) * axes.keys + column, 1, &value);
    return value;
  };
  for (BucketMap& map :
       bucket_maps(*observation.expected, *observation.bias->buckets, fault, evidence)) {
    BiasHypothesis other = hypothesis;
    const auto made =
        map.changes.empty() ? std::nullopt : observation.expected->remake(map.changes);
    other.bias = made ? std::make_shared<const Bias>(std::get<Bias>(made->effect))
                      : std::make_shared<const Bias>(with_buckets(
                            *observation.bias, map.buckets,
                            observation.shape.last_key() - observation.shape.first_key, unread));
    proposals.push_back({std::move(other), std::move(map.sentence), map.cost});
  }
  return proposals;
}

// Of a bias without slopes or buckets, whose parameters have causes of their own.
BiasProposals settings(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (is_linear(hypothesis) || observation.bias->buckets) return proposals;
  for (OtherSetting& setting : other_settings(*observation.expected)) {
    Bias* const bias = std::get_if<Bias>(&setting.made.effect);
    if (!bias || bias->heads != observation.bias->heads) continue;
    BiasHypothesis other = hypothesis;
    other.bias = std::make_shared<const Bias>(std::move(*bias));
    proposals.push_back({std::move(other), std::move(setting.sentence), 1.1});
  }
  return proposals;
}

constexpr Proposer<BiasObservation> causes[] = {
    {Cause::alibi_ladder, "slopes", &offer_ladders},
    {Cause::alibi_head_slice, "slopes", &offer_head_slices},
    {Cause::alibi_exponent, "slopes", &offer_exponents},
    {Cause::alibi_order, "heads", &offer_orders},
    {Cause::bias_sign, "scale", &sign},
    {Cause::bias_transposed, "axes", &bias_transposed},
    {Cause::bucket_transposed, "axes", &bucket_transposed},
    {Cause::bucket_transposed, "buckets", &bucketed<BucketFault::signs>},
    {Cause::bias_alignment, "alignment", &alignment},
    {Cause::bias_distance, "distance", &distances},
    {Cause::bias_distance, "distance", &offer_distance_map},
    {Cause::bias_symmetric, "sides", &one_sided},
    {Cause::bias_zero, "zero", &offer_zeros},
    {Cause::bias_scaled, "scale", &scales},
    {Cause::bucket_direction, "buckets", &bucketed<BucketFault::direction>},
    {Cause::bucket_max_distance, "buckets", &bucketed<BucketFault::max_distance>},
    {Cause::bucket_count, "buckets", &bucketed<BucketFault::count>},
    {Cause::bucket_boundary, "buckets", &bucketed<BucketFault::boundary>},
    {Cause::bucket_offset, "buckets", &bucketed<BucketFault::offset>},
    {Cause::axes_swapped, "buckets", &bucketed<BucketFault::axes>},
    {Cause::low_precision_positions, "positions", &offer_short_positions},
    {Cause::low_precision_bias, "storage", &offer_short_values},
    {Cause::low_precision_bias, "storage", &offer_short_slopes},
    {Cause::heads_permuted, "heads", &permuted},
    {Cause::wrong_parameter, "sum setting", &offer_sums},
    {Cause::wrong_parameter, "setting", &offer_exchanged},
    {Cause::wrong_parameter, "setting", &offer_arguments},
    {Cause::wrong_parameter, "setting", &offer_parts},
    {Cause::wrong_parameter, "setting", &offer_boxes},
    {Cause::wrong_parameter, "setting", &settings},
    {Cause::wrong_parameter, "setting", &offer_windows},
    {Cause::wrong_parameter, "setting", &offer_coordinates},
    {Cause::wrong_parameter, "values", &offer_functions},
    {Cause::bucket_boundary, "buckets", &offer_read_map},
    {Cause::wrong_parameter, "setting", &offer_numbers},

};

}  // namespace

std::span<const Proposer<BiasObservation>> bias_proposers() { return causes; }

}  // namespace pe
