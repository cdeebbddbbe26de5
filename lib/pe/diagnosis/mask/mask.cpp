// A mask in two steps: its levels from some rows, then the shape of each matrix.
#include "pe/diagnosis/mask/mask.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/spread.hpp"

namespace pe {
namespace {

std::vector<std::vector<double>> some_rows(const Stored& array, const ScoreAxes& axes) {
  constexpr Index most_planes = 24, most_rows = 24, most_keys = Index{1} << 20;
  std::vector<std::vector<double>> rows;
  const Index planes = axes.planes();
  for (Index i = 0; i < std::min(planes, most_planes); ++i) {
    const Index plane = planes <= most_planes ? i : i * (planes - 1) / (most_planes - 1);
    for (Index j = 0; j < std::min(axes.queries, most_rows); ++j) {
      const Index query = axes.queries <= most_rows ? j : j * (axes.queries - 1) / (most_rows - 1);
      std::vector<double> row(static_cast<std::size_t>(std::min(axes.keys, most_keys)));
      array.read((plane * axes.queries + query) * axes.keys, std::ssize(row), row.data());
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

DumpMask::DumpMask(const Stored& array, const ScoreAxes& axes) : axes_(axes) {
  Held room;  // for a number of each plane, twice where they are compared
  if (!room.take(static_cast<std::uint64_t>(axes.planes()) * 2 * sizeof(std::size_t)))
    throw FileError(
        fmt::format("{} is too large for scores: the masks of {} matrices take more than {}",
                    array.shown, axes.planes(), room.budget().spell_most()));
  const std::vector<std::vector<double>> rows = some_rows(array, axes);
  levels_ = MaskLevels::of(rows);
  shapes_.emplace_back();
  which_.assign(static_cast<std::size_t>(axes.planes()), 0);
  const auto is_held = [&](double value) { return levels_.holds(value); };
  if (std::ranges::none_of(rows,
                           [&](const auto& row) { return std::ranges::any_of(row, is_held); }))
    return;
  for (Index plane = 0; plane < axes.planes(); ++plane) {
    MaskedPlane cells(array, axes_, levels_, plane);
    if (plane == 0 || !cells.agrees_at_a_glance(shapes_.back()))
      shapes_.push_back(mask_shape_of(cells));
    which_[static_cast<std::size_t>(plane)] = shapes_.size() - 1;
  }
}

const MaskShape& DumpMask::shape(Index plane) const {
  static const MaskShape none;
  return which_.empty() ? none : shapes_[which_[static_cast<std::size_t>(plane)]];
}

bool DumpMask::any() const {
  return std::ranges::any_of(shapes_, [](const MaskShape& shape) { return !shape.empty(); });
}

std::optional<std::pair<Index, Index>> DumpMask::heads_that_differ() const {
  constexpr Index most_rows = 64;
  const std::vector<Index> queries = spread_over(axes_.queries, most_rows);
  for (Index plane = 1; plane < std::ssize(which_); ++plane) {
    const auto at = static_cast<std::size_t>(plane);
    if (plane % axes_.heads == 0 || which_[at] == which_[at - 1]) continue;
    for (const Index query : queries)
      for (Index key = 0; key < axes_.keys; ++key)
        if (hides(plane, query, key) != hides(plane - 1, query, key))
          return std::pair{plane % axes_.heads, plane % axes_.heads - 1};
  }
  return {};
}

std::optional<std::int64_t> DumpMask::opens_future() const {
  for (const std::size_t own : which_)
    if (const std::int64_t future = shapes_[own].future;
        future > 0 && future < std::numeric_limits<std::int64_t>::max() &&
        shapes_[own].past == std::numeric_limits<std::int64_t>::min())
      return future;
  return {};
}

bool DumpMask::hides_own() const {
  return !which_.empty() &&
         std::ranges::all_of(which_, [&](std::size_t own) { return shapes_[own].future == -1; });
}

namespace {

// What queries see that see no second key.
enum class Lone {
  no,      // some query sees two
  same,    // all that see a key see the same one
  others,  // they see others, so those are no padding; a query alone sees its own, and there are
           // keys before it
};

Lone lone_keys_in(const MaskShape& shape, const ScoreAxes& axes) {
  Index seen = -1;
  bool sees_others = axes.queries == 1 && axes.first_query > axes.first_key;
  for (Index query = 0; query < axes.queries; ++query) {
    Index of_query = -1;
    for (Index key = 0; key < axes.keys; ++key)
      if (!shape.hides(axes, query, key)) {
        if (of_query >= 0) return Lone::no;
        of_query = key;
      }
    if (of_query < 0) continue;
    sees_others = sees_others || (seen >= 0 && of_query != seen);
    seen = of_query;
  }
  return seen >= 0 && sees_others ? Lone::others : Lone::same;
}

}  // namespace

template <typename Is>
bool DumpMask::all_shapes(Is is) const {
  std::vector<std::size_t> used = which_;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return !used.empty() && std::ranges::all_of(used, [&](std::size_t own) {
    return !shapes_[own].empty() && is(lone_keys_in(shapes_[own], axes_));
  });
}

bool DumpMask::isolates() const {
  return all_shapes([](Lone lone) { return lone == Lone::others; });
}

bool DumpMask::leaves_one_key() const {
  return all_shapes([](Lone lone) { return lone != Lone::no; });
}

bool DumpMask::is_causal() const {
  return !which_.empty() &&
         std::ranges::all_of(which_, [&](std::size_t own) { return shapes_[own].is_causal(); });
}

}  // namespace pe
