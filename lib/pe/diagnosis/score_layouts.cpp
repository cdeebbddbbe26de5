// Every way to take the axes of an array for batches, heads, queries and keys.
#include "pe/diagnosis/score_layouts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <numeric>
#include <tuple>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/biases/trained.hpp"
#include "pe/diagnosis/buckets/maps.hpp"
#include "pe/diagnosis/buckets/vectors.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {
namespace {

enum Role : std::size_t { batch, head, query, key };
constexpr std::array<std::string_view, 4> names = {"batch", "head", "query", "key"};

// Which role each axis has.
struct Axes {
  std::vector<Index> shape;
  std::vector<Role> roles;

  Index extent(Role role) const {
    Index product = 1;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (roles[i] == role) product *= shape[i];
    return product;
  }
  std::array<Index, 4> extents() const {
    return {extent(batch), extent(head), extent(query), extent(key)};
  }
  // Pairs of axes that stand in another order than [batch, head, query, key].
  Index moved() const {
    Index count = 0;
    for (std::size_t i = 0; i < roles.size(); ++i)
      for (std::size_t j = i + 1; j < roles.size(); ++j) count += roles[i] > roles[j];
    return count;
  }
};

// What is known of the axes.
struct Known {
  std::optional<Index> heads;                 // none: any
  std::optional<Index> cells;                 // of a window: as many queries as keys
  std::optional<Index> keys;                  // by --length
  Index fewest = 1;                           // queries
  std::optional<std::array<Index, 4>> usual;  // as [head, query, key] is read
};

// Queries stand before keys, and either's axes beside one another.
bool is_in_order(const std::vector<Role>& roles) {
  const auto of = [&](Role role) {
    const auto first = std::ranges::find(roles, role);
    const auto last = std::find(roles.rbegin(), roles.rend(), role).base();
    return std::pair(first, last);
  };
  const auto [query_first, query_last] = of(query);
  const auto [key_first, key_last] = of(key);
  const auto are_beside = [&](Role role, auto first, auto last) {
    return first >= last || std::all_of(first, last, [&](Role one) { return one == role; });
  };
  return key_first < key_last && are_beside(query, query_first, query_last) &&
         are_beside(key, key_first, key_last) &&
         (query_first >= query_last || query_first < key_first);
}

bool may_be(const Axes& axes, const Known& known) {
  const auto batches = std::ranges::count(axes.roles, batch);
  if (!is_in_order(axes.roles) || std::any_of(axes.roles.begin() + batches, axes.roles.end(),
                                              [](Role role) { return role == batch; }))
    return false;
  const auto extents = axes.extents();
  const Index queries = extents[query], keys = extents[key];
  return (!known.heads || extents[head] == *known.heads) &&
         (!known.cells || (queries == *known.cells && keys == *known.cells)) &&
         (!known.keys || keys == *known.keys) && keys > 1 && queries <= keys &&
         queries >= known.fewest && (queries > 1 || extents[batch] == 1) && extents != known.usual;
}

void assign(Axes& axes, const Known& known, std::vector<Axes>& all) {
  if (axes.roles.size() == axes.shape.size()) {
    if (may_be(axes, known)) all.push_back(axes);
    return;
  }
  for (const Role role : {batch, head, query, key}) {
    axes.roles.push_back(role);
    assign(axes, known, all);
    axes.roles.pop_back();
  }
}

std::optional<Index> root_of(Index square) {
  const auto root = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(square))));
  return root > 1 && root * root == square ? std::optional(root) : std::nullopt;
}

// The shape, and those that it has once an axis of several is taken apart: queries and keys, heads
// and queries, all.
std::vector<std::vector<Index>> shapes_of(const std::vector<Index>& shape, const Known& known) {
  std::vector<std::vector<Index>> all = {shape};
  const auto add = [&](std::size_t axis, std::vector<Index> parts) {
    std::vector<Index> apart = shape;
    const auto at = apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(axis));
    apart.insert(at, parts.begin(), parts.end());
    all.push_back(std::move(apart));
  };
  const auto is_part = [](Index part, Index whole) { return part > 1 && whole % part == 0; };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Index extent = shape[axis];
    if (const auto side = root_of(extent)) add(axis, {*side, *side});
    if (known.keys && is_part(*known.keys, extent)) add(axis, {extent / *known.keys, *known.keys});
    if (!known.heads || !is_part(*known.heads, extent)) continue;
    add(axis, {*known.heads, extent / *known.heads});
    if (shape.size() > 1) continue;
    if (const auto side = root_of(extent / *known.heads)) {
      add(axis, {*known.heads, *side, *side});
      add(axis, {*side, *side, *known.heads});
    }
  }
  return all;
}

struct Reading {
  Expectation expected;
  Dump dump;
  std::string note;
  bool is_whole = true;  // all numbers are of one sequence
};

// The array with its axes as [batch, head, query, key].
Stored in_order(const Stored& array, const Axes& axes) {
  Stored turned = array;
  turned.shape = axes.shape;
  std::vector<std::size_t> left(axes.roles.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<std::size_t> order = left;
  std::ranges::stable_sort(order, {}, [&](std::size_t axis) { return axes.roles[axis]; });
  for (const std::size_t axis : order) {
    const auto at = std::ranges::find(left, axis);
    turned = moved_last(turned, static_cast<std::size_t>(at - left.begin()));
    left.erase(at);
    left.push_back(axis);
  }
  const auto [batches, heads, queries, keys] = axes.extents();
  turned.shape = {heads, queries, keys};
  if (batches > 1) turned.shape.insert(turned.shape.begin(), batches);
  return stored(collect(turned), array.name, array.shown);
}

std::string spell(const Axes& axes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < axes.shape.size(); ++i)
    words.push_back(fmt::format("{} {}", names[axes.roles[i]], axes.shape[i]));
  return fmt::format("the axes were read as [{}]", fmt::join(words, ", "));
}

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
  Known known{.heads = bias ? bias->heads : 1,
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
  std::vector<Axes> all;
  for (std::vector<Index>& one : shapes_of(shape, known)) {
    Axes axes{std::move(one), {}};
    assign(axes, known, all);
  }
  std::ranges::stable_sort(all, {}, [](const Axes& axes) {
    return std::tuple(axes.extent(batch), axes.moved(), axes.shape.size());
  });
  std::vector<Reading> readings;
  for (const Axes& axes : all) {
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

Diagnosis with_other_axes(
    const Expectation& expected, const Dump& dump,
    const std::function<Diagnosis(const Expectation& expected, const Dump& dump)>& judge) {
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
