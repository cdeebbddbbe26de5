// Whose length each vector has.
#include "pe/diagnosis/rotations/lengths/order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

// The row at which a row stands where two axes were exchanged and no number was moved.
Index row_of_exchanged(const RotationReading& reading, Index row, std::size_t a, std::size_t b) {
  std::vector<Index> places, extents = reading.extents;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    places.push_back(reading.along(row, axis));
  std::swap(places[a], places[b]);
  std::swap(extents[a], extents[b]);
  Index at = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) at = at * extents[axis] + places[axis];
  return at;
}

// The rows of an array as they stand before two axes were exchanged and no number was moved.
Stored with_axes_put_right(const Stored& array, const RotationReading& reading, std::size_t a,
                           std::size_t b) {
  Stored right = array;
  right.fill = [array, reading, a, b](Index first, Index count, std::byte* out) {
    const auto size = static_cast<Index>(size_of(array.dtype));
    for (Index done = 0; done < count;) {
      const Index at = first + done, row = at / reading.width, column = at % reading.width,
                  some = std::min(count - done, reading.width - column);
      array.fill(row_of_exchanged(reading, row, a, b) * reading.width + column, some,
                 out + done * size);
      done += some;
    }
  };
  return right;
}

// Whether the vectors of an entry along an axis are as long as those of another were.
bool are_one(const Lengths& lengths, std::size_t axis, Index entry, Index source) {
  const Index inner = lengths.reading().inner(axis),
              block = inner * lengths.reading().extents[axis];
  for (Index first = 0; first < std::ssize(lengths.after()); first += block)
    for (Index i = 0; i < inner; ++i)
      if (!lengths.are_equal(
              lengths.after()[static_cast<std::size_t>(first + entry * inner + i)],
              lengths.before()[static_cast<std::size_t>(first + source * inner + i)]))
        return false;
  return true;
}

bool are_exchanged(const Lengths& lengths, const RotationReading& view, std::size_t axis) {
  for (Index row = 0; row < lengths.reading().rows; ++row)
    if (!lengths.are_equal(lengths.after()[static_cast<std::size_t>(
                               row_of_exchanged(view, row, axis, lengths.reading().axis))],
                           lengths.before()[static_cast<std::size_t>(row)]))
      return false;
  return true;
}

// Which entry before each one along an axis was, by the lengths of its vectors: its own where
// they allow it. Empty where one has none.
std::vector<Index> sources_along(const Lengths& lengths, std::size_t axis) {
  const Index extent = lengths.reading().extents[axis], inner = lengths.reading().inner(axis);
  std::vector<std::pair<double, Index>> entries;  // of each entry's first vector
  for (Index entry = 0; entry < extent; ++entry)
    entries.emplace_back(lengths.before()[static_cast<std::size_t>(entry * inner)], entry);
  std::ranges::sort(entries);
  constexpr Index most_looked = Index{1} << 22;
  Index looked = 0;
  std::vector<Index> sources;
  for (Index entry = 0; entry < extent; ++entry) {
    const double length = lengths.after()[static_cast<std::size_t>(entry * inner)];
    Index source = are_one(lengths, axis, entry, entry) ? entry : -1;
    for (auto at =
             std::ranges::lower_bound(entries, std::pair{length * (1 - lengths.near()), Index{-1}});
         source < 0 && at != entries.end() && at->first * (1 - lengths.near()) <= length; ++at)
      if (are_one(lengths, axis, entry, at->second))
        source = at->second;
      else if (++looked > most_looked)
        return {};
    if (source < 0) return {};
    sources.push_back(source);
  }
  return sources;
}

bool are_moved(const Lengths& lengths, Index by) {
  for (Index slot = std::max<Index>(by, 0); slot < lengths.reading().run + std::min<Index>(by, 0);
       ++slot)
    if (!are_one(lengths, lengths.reading().axis, slot, slot - by)) return false;
  return true;
}

// Each vector is the turn of one some places before it, or behind: the one that belongs there, or
// one that was turned as the place says where it stands.
void add_late(const Lengths& lengths, std::vector<RestoredDump>& all) {
  const std::size_t axis = lengths.reading().axis;
  const Index run = lengths.reading().extents[axis];
  for (Index k = 1; 2 * k <= run; ++k)
    for (const Index by : {k, -k}) {
      if (!are_moved(lengths, by)) continue;
      const Index later = std::max<Index>(by, 0), earlier = std::max<Index>(-by, 0),
                  count = run - k;
      const std::string there = fmt::format("p {} {}", by > 0 ? "−" : "+", k);
      const Dump left{{rows_of(lengths.dump().arrays[0], axis, later, count)},
                      {rows_of(lengths.dump().before[0], axis, earlier, count)}};
      all.push_back({left,
                     {Cause::rows_permuted,
                      fmt::format("position p holds what belongs at position {}", there)},
                     earlier,
                     count});
      all.push_back(
          {left,
           {Cause::rows_permuted,
            fmt::format("position p holds the vector of position {}, turned as that of p", there)},
           later,
           count});
      return;
    }
}

// An array [position, head] in memory whose axes bear the names of [head, position].
void add_exchanged(const Lengths& lengths, std::vector<RestoredDump>& all) {
  for (std::size_t axis = 0; axis < lengths.reading().extents.size(); ++axis) {
    if (axis == lengths.reading().axis || lengths.reading().extents[axis] < 2) continue;
    RotationReading other = lengths.reading();  // the same before the axes were moved
    std::swap(other.extents[axis], other.extents[lengths.reading().axis]);
    for (const RotationReading& view : {lengths.reading(), other}) {
      if (!are_exchanged(lengths, view, axis)) continue;
      all.push_back(
          {{{with_axes_put_right(lengths.dump().arrays[0], view, axis, lengths.reading().axis)},
            lengths.dump().before},
           {Cause::rows_permuted,
            fmt::format("positions and {0}s stand in each other's place: the numbers "
                        "lie as if axes {1} and {2} had been exchanged by a view, and "
                        "not moved",
                        name_of_axis(lengths.reading(), axis),
                        std::min(axis, lengths.reading().axis),
                        std::max(axis, lengths.reading().axis))}});
      return;
    }
  }
}

// Entries along an axis stand in another order: turned where they stand, or, of positions, before
// they were moved there.
void add_permuted(const Lengths& lengths, std::vector<RestoredDump>& all, bool positions) {
  for (std::size_t axis = 0; axis < lengths.reading().extents.size(); ++axis) {
    if (lengths.reading().extents[axis] < 2 || (axis == lengths.reading().axis) != positions)
      continue;
    const std::vector<Index> sources = sources_along(lengths, axis);
    const auto moved = std::ranges::find_if(
        sources, [&, entry = Index{0}](Index s) mutable { return s != entry++; });
    if (moved == sources.end()) continue;
    const std::string name = name_of_axis(lengths.reading(), axis);
    const Reason reason{
        name == "head" ? Cause::heads_permuted : Cause::rows_permuted,
        fmt::format("vectors stand in another order along axis {}: {} {} is the turn of {}", axis,
                    name, moved - sources.begin(), *moved)};
    all.push_back(
        {{lengths.dump().arrays, {gathered(lengths.dump().before[0], axis, sources)}}, reason});
    if (axis != lengths.reading().axis) continue;
    std::vector<Index> places(sources.size(), -1);
    for (std::size_t i = 0; i < sources.size(); ++i)
      places[static_cast<std::size_t>(sources[i])] = static_cast<Index>(i);
    if (std::ranges::find(places, -1) == places.end())
      all.push_back(
          {{{gathered(lengths.dump().arrays[0], axis, places)}, lengths.dump().before}, reason});
  }
}

}  // namespace

std::vector<RestoredDump> ordered_otherwise(const Lengths& lengths) {
  std::vector<RestoredDump> all;
  add_permuted(lengths, all, false);
  if (all.empty()) add_exchanged(lengths, all);
  if (all.empty()) add_late(lengths, all);
  if (all.empty()) add_permuted(lengths, all, true);
  return all;
}

}  // namespace pe
