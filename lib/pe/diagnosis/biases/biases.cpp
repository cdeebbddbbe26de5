// The diagnosis of a bias: what is equivalent to what is meant, every cell, and the smallest cause
// where cells are wrong.
#include "pe/diagnosis/biases/biases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/biases/entries.hpp"
#include "pe/diagnosis/biases/equivalents.hpp"
#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/biases/residuals.hpp"
#include "pe/diagnosis/biases/sides.hpp"
#include "pe/diagnosis/biases/told.hpp"
#include "pe/diagnosis/biases/trained.hpp"
#include "pe/diagnosis/biases/weights.hpp"
#include "pe/diagnosis/buckets/buckets.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

using Constant = BiasHypothesis::Constant;

std::string arithmetic_of(const Diagnosis& diagnosis) {
  switch (diagnosis.tier) {
    case Tier::exact:
      return "correctly rounded";
    case Tier::drift:
      return "float32, of no known codebase";
    case Tier::storage:
    case Tier::wrong:
      break;
  }
  return "";
}

// Whole numbers without an axis of heads.
bool looks_like_buckets(const Stored& array) {
  if (std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) > 2) return false;
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  if (!some.empty()) array.read(0, std::ssize(some), some.data());
  return std::ranges::any_of(some, [](double value) { return value != 0; }) &&
         std::ranges::all_of(
             some, [](double value) { return !std::isfinite(value) || std::fmod(value, 1) == 0; });
}

// Every cell beside a hypothesis: what is meant, or what attention cannot tell from it. `meant` is
// nothing where none agrees with the cells probed.
struct Comparison {
  BiasHypothesis hypothesis;
  std::optional<Equivalent> meant;
  BiasPass pass;
};

// Beside the first hypothesis that agrees at every cell; where none does, beside the first that
// agrees with those probed.
Comparison compare_with_meant(const BiasObservation& observation, const Stored& array) {
  BiasObservation looked = observation;
  std::optional<Comparison> first;
  for (Equivalent& one : equivalents(observation)) {
    if (observation.shape.heads > observation.bias->heads) break;
    if (!looked.measure(one.hypothesis).agrees()) continue;
    BiasPass pass = bias_pass(observation, array, one.hypothesis);
    const bool agrees = pass.residuals.agrees();
    if (!agrees) add_refuting_probes(looked, array, pass);
    if (agrees || !first) first = {one.hypothesis, one, std::move(pass)};
    if (agrees) break;
  }
  if (first) return std::move(*first);
  BiasHypothesis other = observation.base;
  if (!observation.shape.slopes && observation.shape.keys > 1) other.constant = Constant::any;
  return {other, {}, bias_pass(observation, array, other)};
}

const Stored& array_of_bias(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"bias", "alibi", "slope", "bucket", "index", "relative"};
  return only_array(expected, dump, names);
}

Diagnosis hidden_throughout(const Stored& array) {
  Diagnosis diagnosis;
  diagnosis.what = fmt::format("scores {}", spell_array(array));
  diagnosis.cells = array.size();
  diagnosis.coverage = fmt::format("all {} cells", array.size());
  diagnosis.reasons.push_back({Cause::wrong_mask,
                               "every key is hidden from every query: nothing of the bias is left "
                               "to attention"});
  return diagnosis;
}

// A verdict, and the hypothesis that it comes of where one was found.
struct Judged {
  Diagnosis diagnosis;
  std::optional<BiasHypothesis> hypothesis = {};
};

BiasObservation observed(const Expectation& expected, const Dump& dump, const Stored& array) {
  BiasObservation observation = observe_bias(expected, array);
  observation.has_gaps = dump.has_gaps;
  observation.coarse = dump.coarse;
  return observation;
}

// The verdict on a bias as one thing.
Judged judge(const Expectation& expected, const Dump& dump) {
  const Stored& found_array = array_of_bias(expected, dump);
  const Stored array = found_array.u16 && !std::get<Bias>(expected.effect).buckets
                           ? as_bf16(found_array)
                           : found_array;
  const Bias& bias = std::get<Bias>(expected.effect);
  const bool whole = is_integer(array.dtype) || array.u16;
  const bool unknown = !bias.fill || has_drawn_weights(expected);
  if (!whole && is_hidden_throughout(array)) return {hidden_throughout(array)};
  if (bias.buckets && unknown && !whole && !looks_like_buckets(array))
    return {diagnose_trained_bias(expected, array)};
  if (bias.buckets && (whole || !bias.fill || expected.layout.starts_with("bucket")))
    return {diagnose_buckets(expected, dump)};
  if (whole)
    throw UsageError(fmt::format("{} {} holds integers, and {} is a bias of real numbers",
                                 array.shown, spell_array(array), expected.encoding->name));

  BiasObservation observation = observed(expected, dump, array);
  const BiasShape& shape = observation.shape;
  Judged judged;
  Diagnosis& diagnosis = judged.diagnosis;
  diagnosis.what = fmt::format("{} {}", shape.sentence, spell_array(array));
  diagnosis.layout = shape.layout;
  diagnosis.coverage = fmt::format("all {} cells", array.size());
  diagnosis.bound_from = observation.bound.derivation;

  const BiasObservation at_first = observation;
  const auto [start, meant, first] = compare_with_meant(observation, array);
  const auto place = [&](const Spot& spot) { return place_of(shape, spot); };
  first.residuals.tell(diagnosis, place);
  if (first.residuals.agrees() && meant) {
    diagnosis.tier = first.residuals.exact() ? Tier::exact : Tier::drift;
    diagnosis.notes = meant->notes;
    diagnosis.doubts = meant->doubts;
    if (const auto reason = wrong_sides(observation, meant->hypothesis, first.later)) {
      diagnosis.tier = Tier::wrong;
      diagnosis.reasons.push_back(*reason);
      return judged;
    }
    if (bias.causal) note_later(first.later, diagnosis);
    if (tell_far_better(observation, array, meant->hypothesis, first.residuals, diagnosis))
      return judged;
    diagnosis.arithmetic =
        diagnosis.tier == Tier::drift ? bias_arithmetic(observation, meant->hypothesis) : "";
    if (diagnosis.arithmetic.empty()) diagnosis.arithmetic = arithmetic_of(diagnosis);
    return judged;
  }
  if (!expected.searches) return judged;
  add_refuting_probes(observation, array, first);
  diagnosis.before = diagnosis.after = observation.measure(start).residual;
  if (auto smallest = tell_smallest(observation, array, start, diagnosis)) {
    if (bias.causal) note_later(smallest->later, diagnosis);
    diagnosis.arithmetic = arithmetic_of(diagnosis);
    judged.hypothesis = std::move(smallest->hypothesis);
  }
  if (diagnosis.reasons.empty() && diagnosis.tier == Tier::wrong)
    if (auto reason = odd_mask(observation, array)) diagnosis.reasons.push_back(std::move(*reason));
  blame_numbers(diagnosis);
  if (!diagnosis.reasons.empty() || diagnosis.tier != Tier::wrong) return judged;
  if (auto reason = damage(observation, array))
    diagnosis.reasons.push_back(std::move(*reason));
  else if (tell_some_heads(at_first, diagnosis))
    return judged;
  else if (tell_beside_damage(at_first, array, start, diagnosis))
    return judged;
  else if (has_other_output(observation))
    diagnosis.reasons.push_back(
        {Cause::other_weights,
         "the hidden units are those meant, and the output layer behind them is another one's"});
  else if (auto weights = other_weights(expected, observation, array))
    diagnosis.reasons.push_back(std::move(*weights));
  return judged;
}

Diagnosis judge_whole(const Expectation& expected, const Dump& dump) {
  return judge(expected, dump).diagnosis;
}

// Whether nothing but the type in which the bias is made keeps a dump from what is meant.
bool is_as_made(const Expectation& expected, const Judged& judged) {
  const std::optional<DType> type = type_made_in(expected);
  return type && judged.hypothesis && judged.diagnosis.tier == Tier::storage &&
         judged.diagnosis.reasons.size() == 1 &&
         (judged.hypothesis->storage == type || judged.hypothesis->slope_type == type);
}

}  // namespace

Diagnosis diagnose_bias(const Expectation& expected, const Dump& dump) {
  Judged judged = judge(expected, dump);
  Diagnosis& whole = judged.diagnosis;
  if (is_as_made(expected, judged)) {
    whole.tier = Tier::drift;
    whole.arithmetic = fmt::format("as transformers' Falcon: {}", whole.reasons[0].sentence);
    whole.reasons.clear();
    return whole;
  }
  const bool is_vague = std::ranges::all_of(
      whole.reasons, [](const Reason& one) { return one.cause == Cause::not_finite; });
  if (whole.tier != Tier::wrong || !is_vague || !expected.searches) return whole;
  auto told = judge_sequences(expected, array_of_bias(expected, dump), whole, judge_whole);
  return told ? *told : whole;
}

std::optional<Reason> bias_stripes(const Expectation& expected, const Dump& dump) {
  const Stored& given = array_of_bias(expected, dump);
  const Bias& bias = std::get<Bias>(expected.effect);
  const bool are_buckets = is_integer(given.dtype) || (given.u16 && bias.buckets);
  if (are_buckets || !bias.fill || has_drawn_weights(expected)) return {};
  const Stored array = given.u16 ? as_bf16(given) : given;
  return stripes(observed(expected, dump, array), array);
}

}  // namespace pe
