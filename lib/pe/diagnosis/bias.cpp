// The diagnosis of a bias: what is equivalent to what is meant, every cell, and the smallest cause
// where cells are wrong.
#include "pe/diagnosis/bias.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/error.hpp"
#include "pe/diagnosis/bias_pass.hpp"
#include "pe/diagnosis/bias_trained.hpp"

namespace pe {
namespace {

using Constant = BiasStory::Constant;

// A story that attention cannot tell from what is meant, and why.
struct Equivalent {
  BiasStory story;
  std::vector<std::string> notes;
};

std::vector<Equivalent> head_choices(const BiasWorld& world) {
  const Index heads = world.shape.heads, meant = world.bias->heads;
  std::vector<Equivalent> choices = {{world.base, {}}};
  if (heads >= meant) return choices;
  const Index step = heads == 1 ? 1 : heads;
  for (Index first = heads == 1 ? 0 : step; first + heads <= meant; first += step) {
    Equivalent slice{world.base, {}};
    std::iota(slice.story.heads.begin(), slice.story.heads.end(), first);
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

std::vector<Equivalent> equivalents(const BiasWorld& world) {
  std::vector<Equivalent> all;
  const bool linear = !world.base.slopes.empty(), causal = world.base.masked;
  const auto with = [&](const Equivalent& from, Constant constant, std::int64_t steps,
                        std::string note) {
    Equivalent other = from;
    other.story.constant = constant;
    other.story.constant_steps = steps;
    if (!note.empty()) other.notes.push_back(std::move(note));
    all.push_back(std::move(other));
  };
  for (const Equivalent& choice : head_choices(world)) {
    all.push_back(choice);
    if (world.shape.slopes) {
      Equivalent negative = choice;
      negative.story.scale = -1;
      negative.notes.emplace_back(
          "the slopes are stored with the sign of the bias, as GPT-NeoX does");
      all.push_back(std::move(negative));
      continue;
    }
    if (linear && causal) {
      if (world.base.constant == Constant::key)
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
  if (!world.shape.slopes && world.shape.keys > 1)
    for (const Equivalent& choice : head_choices(world))
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

// The story with later keys punished as earlier ones are, where what is meant masks them.
std::optional<BiasStory> mirrored(const BiasWorld& world, const BiasStory& story) {
  BiasStory other = story;
  other.masked = false;
  if (!story.slopes.empty())
    return story.constant == Constant::none || story.constant == Constant::any
               ? std::optional(other)
               : std::nullopt;
  const auto made = world.expected->remake
                        ? world.expected->remake({{"causal", {"false", "diagnosis"}}})
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

std::vector<CauseRow> bias_causes() {
  std::vector<CauseRow> rows;
  for (const Cause<BiasWorld>& cause : bias_world_causes()) rows.push_back(cause.row);
  return rows;
}

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

  BiasWorld world = bias_world(expected, array);
  const BiasShape& shape = world.shape;
  Diagnosis diagnosis;
  diagnosis.what = fmt::format("{} {}", shape.sentence, spell_array(array));
  diagnosis.layout = shape.layout;
  diagnosis.coverage = fmt::format("all {} cells", array.size());
  diagnosis.bound_from = world.bound.derivation;

  std::optional<Equivalent> meant;
  for (Equivalent& one : equivalents(world))
    if (shape.heads <= bias.heads && world.measure(one.story).agrees()) {
      meant = std::move(one);
      break;
    }
  Equivalent start = meant ? *meant : Equivalent{world.base, {}};
  if (!meant && !shape.slopes && shape.keys > 1) start.story.constant = Constant::any;
  const auto place = [&](const Spot& spot) { return place_of(shape, spot); };

  BiasPass first = bias_pass(world, array, start.story);
  first.tally.tell(diagnosis, place);
  if (first.tally.agrees() && meant) {
    diagnosis.tier = first.tally.exact() ? Tier::exact : Tier::drift;
    diagnosis.notes = meant->notes;
    if (bias.causal && first.later.finite > 0 && first.later.masked == 0)
      if (const auto both = mirrored(world, meant->story); both && world.agrees(*both)) {
        diagnosis.tier = Tier::wrong;
        diagnosis.reasons.push_back({"bias-symmetric",
                                     "keys after the query are punished by their distance, where "
                                     "they are to be masked; equal only where "
                                     "attention masks them itself"});
        return diagnosis;
      }
    if (bias.causal) note_later(first.later, diagnosis);
    diagnosis.arithmetic =
        diagnosis.tier == Tier::drift ? bias_arithmetic(world, meant->story) : "";
    if (diagnosis.arithmetic.empty()) diagnosis.arithmetic = arithmetic_of(diagnosis);
    return diagnosis;
  }
  // What was wrong is looked at too.
  for (const std::optional<Spot>& spot : {first.tally.first_wrong(), first.tally.worst_spot()})
    if (spot) add_probe(world, array, spot->run, spot->index);
  diagnosis.before = diagnosis.after = world.measure(start.story).residual;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto found = explain<BiasWorld>(world, start.story, bias_world_causes());
    if (found.empty()) break;
    const BiasPass again = bias_pass(world, array, found.front().story);
    if (again.tally.agrees()) {
      tell(found, diagnosis);
      if (bias.causal) note_later(again.later, diagnosis);
      diagnosis.arithmetic = arithmetic_of(diagnosis);
      break;
    }
    for (const std::optional<Spot>& spot : {again.tally.first_wrong(), again.tally.worst_spot()})
      if (spot) add_probe(world, array, spot->run, spot->index);
  }
  blame_numbers(diagnosis);
  return diagnosis;
}

}  // namespace pe
