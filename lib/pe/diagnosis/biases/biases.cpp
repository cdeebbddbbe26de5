// The diagnosis of a bias: what is equivalent to what is meant, every cell, and the smallest cause
// where cells are wrong.
#include "pe/diagnosis/biases/biases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/error.hpp"
#include "pe/diagnosis/biases/residuals.hpp"
#include "pe/diagnosis/biases/trained.hpp"

namespace pe {
namespace {

using Constant = BiasHypothesis::Constant;

// A hypothesis that attention cannot tell from what is meant, and why.
struct Equivalent {
  BiasHypothesis hypothesis;
  std::vector<std::string> notes;
};

std::vector<Equivalent> head_choices(const BiasObservation& observation) {
  const Index heads = observation.shape.heads, meant = observation.bias->heads;
  std::vector<Equivalent> choices = {{observation.base, {}}};
  if (heads >= meant) return choices;
  const Index step = heads == 1 ? 1 : heads;
  for (Index first = heads == 1 ? 0 : step; first + heads <= meant; first += step) {
    Equivalent slice{observation.base, {}};
    std::iota(slice.hypothesis.heads.begin(), slice.hypothesis.heads.end(), first);
    if (heads == 1)
      slice.notes.push_back(fmt::format("one head of {}: number {}, from 0", meant, first));
    else
      slice.notes.push_back(fmt::format("heads {} to {} of {}: the slice of rank {} of {}", first,
                                        first + heads - 1, meant, first / heads,
                                        (meant + heads - 1) / heads));
    choices.push_back(std::move(slice));
  }
  if (heads == 1)
    choices.erase(choices.begin());
  else
    choices.front().notes.push_back(
        fmt::format("the first {} of {} heads: right for rank 0 alone", heads, meant));
  return choices;
}

std::vector<Equivalent> equivalents(const BiasObservation& observation) {
  std::vector<Equivalent> all;
  const bool linear = !observation.base.slopes.empty(), causal = observation.base.masked;
  const auto with = [&](const Equivalent& from, Constant constant, std::int64_t steps,
                        std::string note) {
    Equivalent other = from;
    other.hypothesis.constant = constant;
    other.hypothesis.constant_steps = steps;
    if (!note.empty()) other.notes.push_back(std::move(note));
    all.push_back(std::move(other));
  };
  for (const Equivalent& choice : head_choices(observation)) {
    all.push_back(choice);
    if (observation.shape.slopes) {
      Equivalent negative = choice;
      negative.hypothesis.scale = -1;
      negative.notes.emplace_back(
          "the slopes are stored with the sign of the bias, as GPT-NeoX does");
      all.push_back(std::move(negative));
      continue;
    }
    if (linear && causal) {
      if (observation.base.constant == Constant::key)
        with(choice, Constant::none, 0,
             "the bias is -slope*distance: slope*key less a constant for each query, which softmax "
             "cannot see");
      else
        with(choice, Constant::key, 0,
             "the bias is slope*key: -slope*distance and a constant for each query, which softmax "
             "cannot see");
      with(choice, Constant::key_from_last, 0,
           "the bias is slope*(key - last key): -slope*distance and a constant for each query, "
           "which softmax cannot see");
    }
    if (linear)
      for (const int steps : {-1, 1})
        with(
            choice, Constant::none, steps,
            fmt::format("every distance is counted as one {}: a constant, which softmax cannot see",
                        steps < 0 ? "more" : "less"));
  }
  if (!observation.shape.slopes && observation.shape.keys > 1)
    for (const Equivalent& choice : head_choices(observation))
      with(choice, Constant::any, 0,
           "each query's row has a constant of its own added, which softmax cannot see");
  return all;
}

std::string place_of(const BiasShape& shape, const Spot& spot) {
  const Index plane = spot.run / shape.queries, head = plane % shape.heads;
  const std::string batch = shape.batch > 1 ? fmt::format("batch {}, ", plane / shape.heads) : "";
  if (shape.slopes) return fmt::format("head {}", head);
  return fmt::format("{}head {}, query {}, key {}", batch, head,
                     shape.first_query + spot.run % shape.queries, shape.first_key + spot.index);
}

void note_later(const LaterKeys& later, Diagnosis& diagnosis) {
  const Index open = later.zero + later.finite;
  if (open == 0) return;
  if (later.masked == 0)
    diagnosis.notes.push_back(later.finite == 0
                                  ? "keys after the query hold 0 and are not masked: equal only "
                                    "where attention masks them itself"
                                  : "keys after the query hold a bias and are not masked: equal "
                                    "only where attention masks them itself");
  else
    diagnosis.notes.push_back(
        fmt::format("{} keys after their query are masked and {} are not: equal only where "
                    "attention masks them itself",
                    later.masked, open));
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
  const auto made = observation.expected->remake
                        ? observation.expected->remake({{"causal", {"false", "diagnosis"}}})
                        : std::nullopt;
  if (!made) return {};
  other.bias = std::make_shared<const Bias>(std::get<Bias>(made->effect));
  return other;
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
  return std::ranges::all_of(
      some, [](double value) { return !std::isfinite(value) || std::fmod(value, 1) == 0; });
}

}  // namespace

Diagnosis diagnose_bias(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"bias", "alibi", "slope", "bucket", "index", "relative"};
  const Stored& found_array = only_array(expected, dump, names);
  const Stored array = found_array.u16 && !std::get<Bias>(expected.effect).buckets
                           ? as_bf16(found_array)
                           : found_array;
  const Bias& bias = std::get<Bias>(expected.effect);
  const bool whole = is_integer(array.dtype) || array.u16;
  if (bias.buckets && !bias.fill && !whole && !looks_like_buckets(array))
    return diagnose_trained_bias(expected, array);
  if (bias.buckets && (whole || !bias.fill || expected.layout.starts_with("bucket")))
    return diagnose_buckets(expected, dump);
  if (whole)
    throw UsageError(fmt::format("{} {} holds integers, and {} is a bias of real numbers",
                                 array.shown, spell_array(array), expected.encoding->name));

  BiasObservation observation = observe_bias(expected, array);
  const BiasShape& shape = observation.shape;
  Diagnosis diagnosis;
  diagnosis.what = fmt::format("{} {}", shape.sentence, spell_array(array));
  diagnosis.layout = shape.layout;
  diagnosis.coverage = fmt::format("all {} cells", array.size());
  diagnosis.bound_from = observation.bound.derivation;

  std::optional<Equivalent> meant;
  for (Equivalent& one : equivalents(observation))
    if (shape.heads <= bias.heads && observation.measure(one.hypothesis).agrees()) {
      meant = std::move(one);
      break;
    }
  Equivalent start = meant ? *meant : Equivalent{observation.base, {}};
  if (!meant && !shape.slopes && shape.keys > 1) start.hypothesis.constant = Constant::any;
  const auto place = [&](const Spot& spot) { return place_of(shape, spot); };

  BiasPass first = bias_pass(observation, array, start.hypothesis);
  first.residuals.tell(diagnosis, place);
  if (first.residuals.agrees() && meant) {
    diagnosis.tier = first.residuals.exact() ? Tier::exact : Tier::drift;
    diagnosis.notes = meant->notes;
    if (bias.causal && first.later.finite > 0 && first.later.masked == 0)
      if (const auto both = mirrored(observation, meant->hypothesis);
          both && observation.agrees(*both)) {
        diagnosis.tier = Tier::wrong;
        diagnosis.reasons.push_back({Cause::bias_symmetric,
                                     "keys after the query are punished by their distance, where "
                                     "they are to be masked; equal only where "
                                     "attention masks them itself"});
        return diagnosis;
      }
    if (bias.causal) note_later(first.later, diagnosis);
    diagnosis.arithmetic =
        diagnosis.tier == Tier::drift ? bias_arithmetic(observation, meant->hypothesis) : "";
    if (diagnosis.arithmetic.empty()) diagnosis.arithmetic = arithmetic_of(diagnosis);
    return diagnosis;
  }
  // What was wrong is looked at too.
  for (const std::optional<Spot>& spot :
       {first.residuals.first_wrong(), first.residuals.worst_spot()})
    if (spot) add_probe(observation, array, spot->run, spot->index);
  diagnosis.before = diagnosis.after = observation.measure(start.hypothesis).residual;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto found = explain<BiasObservation>(observation, start.hypothesis, bias_proposers());
    if (found.empty()) break;
    const BiasPass again = bias_pass(observation, array, found.front().hypothesis);
    if (again.residuals.agrees()) {
      tell(found, diagnosis);
      if (bias.causal) note_later(again.later, diagnosis);
      diagnosis.arithmetic = arithmetic_of(diagnosis);
      break;
    }
    for (const std::optional<Spot>& spot :
         {again.residuals.first_wrong(), again.residuals.worst_spot()})
      if (spot) add_probe(observation, array, spot->run, spot->index);
  }
  blame_numbers(diagnosis);
  return diagnosis;
}

}  // namespace pe
