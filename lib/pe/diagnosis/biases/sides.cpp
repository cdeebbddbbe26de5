// What is said of keys after the query, and what is wrong with them.
#include "pe/diagnosis/biases/sides.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

using Constant = BiasHypothesis::Constant;

// The hypothesis with later keys punished as earlier ones are, where what is meant masks them.
std::optional<BiasHypothesis> mirrored(const BiasObservation& observation,
                                       const BiasHypothesis& hypothesis) {
  BiasHypothesis other = hypothesis;
  other.masked = false;
  if (!hypothesis.slopes.empty())
    return hypothesis.constant == Constant::none || hypothesis.constant == Constant::any
               ? std::optional(other)
               : std::nullopt;
  const auto made = observation.expected->remake ? observation.expected->remake({{"causal", false}})
                                                 : std::nullopt;
  if (!made) return {};
  other.bias = std::make_shared<const Bias>(std::get<Bias>(made->effect));
  return other;
}

// The dump masks keys after the query, where what is meant punishes both sides.
bool is_one_sided(const BiasObservation& observation) {
  const auto& entries = observation.expected->parameters.entries();
  return !observation.bias->causal && observation.mask->is_causal() &&
         std::ranges::find(entries, "causal", &Parameters::Entry::name) != entries.end();
}
Reason one_sided_reason() {
  return {Cause::bias_symmetric,
          "keys after the query are masked, where both sides are punished alike"};
}

}  // namespace

void note_later(const LaterKeys& later, Diagnosis& diagnosis) {
  const Index open = later.zero + later.finite;
  if (open == 0) return;
  const std::string_view equal = "equal only where attention masks them itself";
  std::string what =
      later.masked > 0
          ? fmt::format("{} keys after their query are masked and {} are not", later.masked, open)
      : later.finite == 0 ? "keys after the query hold 0 and are not masked"
                          : "keys after the query hold a bias and are not masked";
  auto& told = later.finite > 0 ? diagnosis.doubts : diagnosis.notes;
  told.push_back(fmt::format("{}: {}", what, equal));
}

std::optional<Reason> wrong_sides(const BiasObservation& observation,
                                  const BiasHypothesis& hypothesis, const LaterKeys& later) {
  if (observation.bias->causal && later.finite > 0 && later.masked == 0)
    if (const auto both = mirrored(observation, hypothesis); both && observation.agrees(*both))
      return Reason{Cause::bias_symmetric,
                    "keys after the query are punished by their distance, where they are to be "
                    "masked; equal only where attention masks them itself"};
  if (observation.shape.slopes) return {};
  if (auto reason = wrong_mask(*observation.expected, *observation.mask, observation.shape))
    return reason;
  if (hypothesis.constant != BiasHypothesis::Constant::none && observation.mask->leaves_one_key())
    throw UsageError(
        "by the mask of the dump no query sees more than one key: softmax takes any number there, "
        "so nothing of the bias can be told");
  return is_one_sided(observation) ? std::optional(one_sided_reason()) : std::nullopt;
}

}  // namespace pe
