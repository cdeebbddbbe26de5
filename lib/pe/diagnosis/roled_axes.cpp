// The axes of scores: taken apart where one is of several, each given a role, the ways in order.
#include "pe/diagnosis/roled_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>

namespace pe {
namespace {

using enum RoledAxes::Role;
using Role = RoledAxes::Role;

constexpr std::array<std::string_view, 4> names = {"batch", "head", "query", "key"};

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

bool may_be(const RoledAxes& axes, const KnownAxes& known) {
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

void assign(RoledAxes& axes, const KnownAxes& known, std::vector<RoledAxes>& all) {
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
std::vector<std::vector<Index>> shapes_of(const std::vector<Index>& shape, const KnownAxes& known) {
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

}  // namespace

std::vector<RoledAxes> roled_axes(const std::vector<Index>& shape, const KnownAxes& known) {
  std::vector<RoledAxes> all;
  for (std::vector<Index>& one : shapes_of(shape, known)) {
    RoledAxes axes{std::move(one), {}};
    assign(axes, known, all);
  }
  std::ranges::stable_sort(all, {}, [](const RoledAxes& axes) {
    return std::tuple(axes.extent(batch), axes.moved(), axes.shape.size());
  });
  return all;
}

Stored in_order(const Stored& array, const RoledAxes& axes) {
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

std::string spell(const RoledAxes& axes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < axes.shape.size(); ++i)
    words.push_back(fmt::format("{} {}", names[axes.roles[i]], axes.shape[i]));
  return fmt::format("the axes were read as [{}]", fmt::join(words, ", "));
}

}  // namespace pe
