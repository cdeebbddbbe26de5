// Positions, slopes and values that went through a short type.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {
namespace {

double short_of(double value, DType type) {
  double rounded = 0;
  round_to(type, {&value, 1}, &rounded);
  return rounded;
}

// What costs less where it is no fault: the type in which the bias is made.
double less_where_made_in(const BiasObservation& observation, DType type) {
  return type_made_in(*observation.expected) == type ? 0.2 : 0;
}

}  // namespace

BiasProposals offer_short_positions(const BiasObservation& observation,
                                    const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (!is_by_distance(hypothesis) || observation.shape.slopes) return proposals;
  if (!is_linear(hypothesis) && !is_first(observation, hypothesis)) return proposals;
  if (!hypothesis.signed_distance)
    for (const bool is_signed : {false, true}) {
      BiasHypothesis other = hypothesis;
      other.wraps = 256;
      other.wraps_signed = is_signed;
      proposals.push_back({std::move(other),
                           fmt::format("distances are {} and begin again at {}",
                                       is_signed ? "int8" : "uint8", is_signed ? "128" : "256"),
                           1.05});
    }
  // As a ring of so many places has them.
  if (!hypothesis.signed_distance)
    for (Index places = 8; places < observation.shape.keys; places *= 2) {
      BiasHypothesis other = hypothesis;
      other.wraps = places;
      proposals.push_back({std::move(other), fmt::format("distances begin again at {}", places),
                           1.06, Cause::bias_distance});
    }
  for (const DType type : {DType::bf16, DType::f16})
    for (const auto rounded :
         {BiasHypothesis::Rounded::distances, BiasHypothesis::Rounded::positions,
          BiasHypothesis::Rounded::positions_exactly_apart})
      for (const auto constant : {hypothesis.constant, BiasHypothesis::Constant::key,
                                  BiasHypothesis::Constant::key_from_last}) {
        if (constant != hypothesis.constant && (!hypothesis.masked || !is_linear(hypothesis) ||
                                                rounded != BiasHypothesis::Rounded::distances))
          continue;
        BiasHypothesis other = hypothesis;
        other.rounded = rounded;
        other.short_type = type;
        other.constant = constant;
        proposals.push_back(
            {std::move(other),
             fmt::format(
                 "{} are rounded to {}, so that those beyond {} fall together",
                 rounded == BiasHypothesis::Rounded::distances && constant == hypothesis.constant
                     ? "distances"
                     : "positions",
                 name_of(type), type == DType::bf16 ? 256 : 2048),
             1});
      }
  return proposals;
}

// The slopes alone in a short type; a power of 2 shows no difference.
BiasProposals offer_short_slopes(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (!is_linear(hypothesis)) return proposals;
  for (const DType type : {DType::bf16, DType::f16}) {
    BiasHypothesis other = hypothesis;
    for (Real& slope : other.slopes) slope = short_of(to_double(slope), type);
    other.slope_type = type;
    if (other.slopes == hypothesis.slopes || observation.dtype == type) continue;
    if (std::ranges::find(other.slopes, Real(0)) != other.slopes.end()) continue;  // no bias
    proposals.push_back(
        {std::move(other),
         fmt::format("the slopes are rounded to {} before they are multiplied", name_of(type)),
         1.1 - less_where_made_in(observation, type)});
  }
  return proposals;
}

BiasProposals offer_short_values(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  // slope·key has roundings of its own, which no constant read off a row makes good.
  const BiasShape& shape = observation.shape;
  const bool past =
      hypothesis.masked || (shape.queries == 1 && shape.first_query >= shape.last_key());
  for (const DType type : {DType::f16, DType::bf16})
    for (const auto constant : {hypothesis.constant, BiasHypothesis::Constant::key,
                                BiasHypothesis::Constant::key_from_last}) {
      if (constant != hypothesis.constant && (!past || !is_linear(hypothesis) || shape.slopes))
        continue;
      // Every number of the dump is one of its own type: only slopes and products tell more.
      if (observation.dtype == type && !is_linear(hypothesis)) continue;
      BiasHypothesis other = hypothesis;
      other.storage = type;
      other.constant = constant;
      proposals.push_back(
          {std::move(other),
           observation.dtype == type
               ? fmt::format("slopes or products are rounded to {} before the last rounding",
                             name_of(type))
               : fmt::format("the values are rounded to {} before they are written as {}",
                             name_of(type), name_of(observation.dtype)),
           (type == DType::f16 ? 1 : 1.01) +
               (past && constant == BiasHypothesis::Constant::any ? 0.02 : 0) -
               less_where_made_in(observation, type)});
    }
  return proposals;
}

}  // namespace pe
