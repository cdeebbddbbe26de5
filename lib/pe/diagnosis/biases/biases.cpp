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
#include "pe/diagnosis/biases/some_heads.hpp"
#include "pe/diagnosis/biases/trained.hpp"
#include "pe/diagnosis/biases/weights.hpp"
#include "pe/diagnosis/buckets/buckets.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

using Constant = BiasHypothesis::Constant;

// Zeros after the query are left to attention by many programs; a bias there is told in the
// headline.
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

// What is wrong with the keys that a dump hides, and with those that it leaves open, behind a
// hypothesis that agrees; nothing where they are as meant.
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

// What attention cannot tell from the hypothesis, where rows may have any constant: which they
// have.
void note_constant(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                   Diagnosis& diagnosis) {
  if (hypothesis.constant != Constant::any || hypothesis.slopes.empty()) return;
  for (const Equivalent& one : equivalents(observation)) {
    if (one.hypothesis.heads != observation.base.heads || !one.hypothesis.tokens.empty()) continue;
    BiasHypothesis other = hypothesis;
    other.constant = one.hypothesis.constant;
    other.constant_steps = one.hypothesis.constant_steps;
    if (!observation.agrees(other)) continue;
    diagnosis.notes.insert(diagnosis.notes.end(), one.notes.begin(), one.notes.end());
    return;
  }
}

// A hypothesis that agrees at every cell, and what it left of the keys after the query.
struct Smallest {
  BiasHypothesis hypothesis;
  LaterKeys later;
};

// Cells that refute a hypothesis are looked at from then on.
void add_refuting_probes(BiasObservation& observation, const Stored& array, const BiasPass& pass) {
  for (const std::optional<Spot>& spot :
       {pass.residuals.first_wrong(), pass.residuals.worst_spot()})
    if (spot) add_probe(observation, array, spot->run, spot->index);
}

// Tells the cheapest hypothesis that agrees at every cell, with what is wrong with the keys after
// the query beside it; cells that refute one that agreed at the probes become probes.
std::optional<Smallest> tell_smallest(BiasObservation& observation, const Stored& array,
                                      const BiasHypothesis& start, Diagnosis& diagnosis) {
  constexpr int rounds = 3;
  constexpr std::size_t most = 6;  // passes over the array in a round
  constexpr Index enough = 4096;   // wrong cells that refute a hypothesis
  for (int round = 0; round < rounds; ++round) {
    auto found = explain<BiasObservation>(observation, start, bias_proposers());
    if (found.empty()) return {};
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
      const BiasPass pass = bias_pass(observation, array, found[i].hypothesis, enough);
      if (pass.residuals.agrees()) {
        found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i));
        const auto sides = wrong_sides(observation, found.front().hypothesis, pass.later);
        tell(found, diagnosis);
        note_constant(observation, found.front().hypothesis, diagnosis);
        // Decoding that drops the bias has no later keys: a note tells those of the rows before.
        const bool is_told = std::ranges::any_of(diagnosis.reasons, [&](const Reason& one) {
          return one.cause == Cause::bias_zero || (sides && one.cause == sides->cause);
        });
        if (sides && !is_told) diagnosis.reasons.push_back(*sides);
        return Smallest{std::move(found.front().hypothesis), pass.later};
      }
      add_refuting_probes(observation, array, pass);
    }
  }
  return {};
}

// Tells one cause that explains a dump within its bound far better than the arithmetic that is
// meant. A bound may have to be wide, where roundings could all go one way; they do not go the way
// of another parameter.
bool tell_far_better(const BiasObservation& observation, const Stored& array,
                     const BiasHypothesis& meant, const Tally& residuals, Diagnosis& diagnosis) {
  constexpr double gain = 30, roundings = 64;
  const auto spot = residuals.worst_spot();
  if (!spot || !std::isfinite(spot->expected) ||
      !(residuals.worst() > roundings * std::max(0x1p-24, unit_roundoff(observation.dtype)) *
                                std::fabs(spot->expected)))
    return false;
  Search<BiasObservation> search(observation, meant, bias_proposers());
  for (const Explanation<BiasObservation>& one : search.at_depth(1)) {
    if (one.tier != Tier::wrong || !(gain * one.fit.residual < residuals.worst())) continue;
    const BiasPass pass = bias_pass(observation, array, one.hypothesis);
    if (!pass.residuals.agrees() || !(gain * pass.residuals.worst() < residuals.worst())) continue;
    tell<BiasObservation>({one}, diagnosis);
    diagnosis.before = residuals.worst();
    diagnosis.after = pass.residuals.worst();
    diagnosis.notes.push_back(
        fmt::format("within the bound, and {:.0f} times nearer with the cause taken into account",
                    residuals.worst() / std::max(pass.residuals.worst(), 1e-300)));
    return true;
  }
  return false;
}

// Tells the cheapest hypothesis that holds but for a few cells, and these; whether there is one.
bool tell_beside_damage(const BiasObservation& observation, const Stored& array,
                        const BiasHypothesis& start, Diagnosis& diagnosis) {
  constexpr std::size_t most = 6;  // passes over the array
  if (observation.shape.slopes) return false;
  const auto rest = without_foreign_cells(observation);
  auto found = explain<BiasObservation>(rest ? *rest : observation, start, bias_proposers());
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
    const auto cells = damage_beside(observation, array, found[i].hypothesis);
    if (!cells || found[i].reasons.empty()) continue;
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i));
    tell(found, diagnosis);
    diagnosis.tier = Tier::wrong;
    diagnosis.reasons.push_back(*cells);
    return true;
  }
  return false;
}

// Tells what is wrong with some heads, where the others are as they are meant.
bool tell_some_heads(const BiasObservation& observation, Diagnosis& diagnosis) {
  for (const Equivalent& one : equivalents(observation)) {
    if (observation.shape.heads > observation.bias->heads) return false;
    auto some = wrong_heads(observation, one.hypothesis);
    if (!some) continue;
    some->hypothesis.constant = Constant::any;
    Diagnosis told;
    if (!tell_smallest(some->observation, *some->array, some->hypothesis, told)) {
      auto weights = other_weights(*observation.expected, some->observation, *some->array);
      if (!weights) return false;
      told.reasons.push_back(std::move(*weights));
    }
    diagnosis.tier = Tier::wrong;
    for (const Reason& reason : told.reasons)
      diagnosis.reasons.push_back(
          {reason.cause,
           fmt::format("{}: {}", spell_heads(some->heads, observation.shape), reason.sentence)});
    std::ranges::move(told.notes, std::back_inserter(diagnosis.notes));
    return !diagnosis.reasons.empty();
  }
  return false;
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

  BiasObservation observation = observe_bias(expected, array);
  observation.has_gaps = dump.has_gaps;
  observation.coarse = dump.coarse;
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

}  // namespace pe
