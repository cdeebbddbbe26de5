// Scores that are right once their axes are read otherwise, or are the weights of a bias.
#include "pe/diagnosis/score_layouts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/biases/trained.hpp"
#include "pe/diagnosis/buckets/maps.hpp"
#include "pe/diagnosis/buckets/vectors.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/roled_axes.hpp"
#include "pe/diagnosis/rotations/truth.hpp"

namespace pe {
namespace {

using enum RoledAxes::Role;

struct Reading {
  Expectation expected;
  Dump dump;
  std::string note;
  bool is_whole = true;  // all numbers are of one sequence
};

bool holds_whole(const Stored& array) {
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  array.read(0, std::ssize(some), some.data());
  return std::ranges::all_of(some, [](double value) { return value == std::round(value); });
}

std::vector<Reading> other_axes(const Expectation& expected, const Dump& dump) {
  constexpr Index largest = Index{1} << 22;
  constexpr std::size_t most_axes = 7, most = 24;
  const Stored& array = dump.arrays[0];
  const std::vector<Index> shape = squeezed(array.shape);
  if (shape.size() > most_axes || array.size() > largest || array.size() < 4) return {};
  const Bias* bias = std::get_if<Bias>(&expected.effect);
  if (!bias && !holds_whole(array)) return {};
  KnownAxes known{.heads = bias ? bias->heads : 1,
                  .cells = {},
                  .keys = expected.rows,
                  .fewest = 1,
                  .usual = {}};
  if (const auto map = buckets_of(expected.effect)) known.cells = map->positions;
  if (!bias || (bias->buckets && holds_whole(array))) {
    known.heads = 1;
  } else if (bias->buckets &&
             (!bias->fill || has_drawn_weights(expected))) {  // a few queries are any weights'
    known.heads.reset();
    known.fewest = 8;
  }
  if (known.cells) known.keys.reset();
  if (const auto usual = score_axes(array.shape, known.heads.value_or(0)))
    known.usual = std::array<Index, 4>{usual->batch, usual->heads, usual->queries, usual->keys};
  // As many heads as are meant, on an axis of their own: nothing else may be read into it.
  const bool has_own_axis = known.usual && ((*known.usual)[batch] == 1 || shape.size() > 3);
  if (has_own_axis && known.heads && (*known.usual)[head] == *known.heads &&
      (*known.usual)[query] > 1 && (!known.cells || (*known.usual)[key] == *known.cells))
    return {};
  std::vector<Reading> readings;
  for (const RoledAxes& axes : roled_axes(shape, known)) {
    if (readings.size() == most) break;
    Dump other = dump;
    other.arrays[0] = in_order(array, axes);
    readings.push_back({expected, std::move(other), spell(axes), axes.extent(batch) == 1});
  }
  return readings;
}

// The weights that a bias reads, [bucket, head], as a table of rows; the dump may have the heads
// first, too.
std::optional<Reading> weights_themselves(const Expectation& expected, const Dump& dump) {
  const Bias* bias = std::get_if<Bias>(&expected.effect);
  if (!bias || !expected.parameters.has("weights")) return {};
  const Array& weights = expected.parameters.tensor("weights");
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  if (weights.rank() != 2 || shape.size() != 2 || is_integer(dump.arrays[0].dtype)) return {};
  const bool is_turned = shape != weights.shape();
  if (is_turned && (shape[0] != weights.shape()[1] || shape[1] != weights.shape()[0])) return {};
  Reading reading{as_table(expected, weights), dump, "the weights themselves, by bucket and head"};
  if (is_turned) {
    Stored& array = reading.dump.arrays[0];
    array.shape = shape;
    array = moved_last(array, 0);
    reading.note += ", heads first";
  }
  return reading;
}

// A verdict that a misread layout may have made.
bool tells_nothing(const Diagnosis& told) {
  return std::ranges::all_of(told.reasons, [](const Reason& one) {
    return one.cause == Cause::table_short || one.cause == Cause::not_finite;
  });
}

bool may_have_other_axes(const Expectation& expected, const Dump& dump) {
  return dump.before.empty() && dump.arrays.size() == 1 && expected.layout.empty() &&
         !dump.arrays[0].is_complex && !is_of_turns(expected.effect) &&
         (kind_of(expected.effect) == Kind::bias || kind_of(expected.effect) == Kind::relative);
}

}  // namespace

Diagnosis with_other_axes(const Expectation& expected, const Dump& dump, const Judge& judge) {
  if (!may_have_other_axes(expected, dump)) return judge(expected, dump);
  const auto read = [&](const Reading& reading, bool searches) -> std::optional<Diagnosis> {
    try {
      Expectation meant = reading.expected;
      meant.searches = searches;
      Diagnosis other = judge(meant, reading.dump);
      if (!reading.note.empty()) other.notes.push_back(reading.note);
      return other;
    } catch (const UsageError&) {
      return {};
    }
  };
  // What is wrong is looked for, which takes long, where no reading is right.
  if (auto told = read({expected, dump, ""}, false); told && told->tier != Tier::wrong)
    return *told;
  std::vector<Reading> readings = other_axes(expected, dump);
  if (auto weights = weights_themselves(expected, dump))
    readings.insert(readings.begin(), std::move(*weights));
  for (const Reading& reading : readings)
    if (auto told = read(reading, false); told && told->tier != Tier::wrong) return *told;
  std::optional<Diagnosis> told, best;
  std::exception_ptr refusal;
  try {
    told = judge(expected, dump);
  } catch (const UsageError&) {
    refusal = std::current_exception();
  }
  constexpr Index searched = Index{1} << 18;  // numbers
  const int most = dump.arrays[0].size() <= searched ? 4 : 0;
  int count = 0;
  for (const Reading& reading : readings) {
    if (told && !tells_nothing(*told)) break;
    if (!reading.is_whole || count++ >= most) continue;
    auto other = read(reading, true);
    if (other && !tells_nothing(*other) && (!best || other->reasons.size() < best->reasons.size()))
      best = std::move(other);
  }
  if (best) return *best;
  if (!told) std::rethrow_exception(refusal);
  return *told;
}

}  // namespace pe
