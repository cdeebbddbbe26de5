// What goes wrong with biases, each cause with the hypotheses that it proposes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/biases/proposals.hpp"
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

template <BucketFault fault>
BiasProposals bucketed(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  return offer_bucketed(observation, hypothesis, fault);
}

// Of a bias without slopes, whose parameters have causes of their own, as the numbers of buckets
// have.
BiasProposals settings(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (is_linear(hypothesis)) return proposals;
  for (OtherSetting& setting : other_settings(*observation.expected)) {
    if (observation.bias->buckets && !setting.is_switch) continue;
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
    {Cause::bias_transposed, "axes", &offer_bias_transposed},
    {Cause::bucket_transposed, "axes", &offer_bucket_transposed},
    {Cause::bucket_transposed, "buckets", &bucketed<BucketFault::signs>},
    {Cause::bias_alignment, "alignment", &alignment},
    {Cause::bias_distance, "distance", &offer_distances},
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
    {Cause::heads_permuted, "heads", &offer_permuted},
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
