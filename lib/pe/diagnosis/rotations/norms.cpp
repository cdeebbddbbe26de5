// Lengths of vectors before and after, compared along each axis.
#include "pe/diagnosis/rotations/norms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/kept.hpp"
#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

// More lengths than these are not held.
constexpr Index most_rows = Index{1} << 20;

// Of the vectors first … end−1, the channels that turn times a magnitude, the others times `rest`.
std::vector<double> lengths_of(const Stored& array, const RotationReading& reading, Index first,
                               Index end, double magnitude = 1, double rest = 1) {
  const Index width = reading.width, block = std::max<Index>(1, (Index{1} << 16) / width);
  std::vector<double> lengths, values, weights;
  for (Index k = 0; k < width; ++k) weights.push_back(turns(reading, k) ? magnitude : rest);
  for (; first < end; first += block) {
    const Index count = std::min(block, end - first);
    values.resize(static_cast<std::size_t>(count * width));
    array.read(first * width, count * width, values.data());
    for (auto at = values.begin(); at != values.end(); at += width) {
      std::transform(weights.begin(), weights.end(), at, at, std::multiplies<>());
      lengths.push_back(std::sqrt(std::inner_product(at, at + width, at, 0.0)));
    }
  }
  return lengths;
}

// What the channels that turn were multiplied by, as all vectors together say, in whatever order.
double common_magnitude(const Dump& dump, const RotationReading& reading) {
  const auto size = [&](const Stored& array) {
    const std::vector<double> all = lengths_of(array, reading, 0, reading.rows, 1, 0);
    return std::sqrt(std::inner_product(all.begin(), all.end(), all.begin(), 0.0));
  };
  return size(dump.arrays[0]) / size(dump.before[0]);
}

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

// Rows multiplied by a factor of their entry along an axis, and rounded to the array's own type.
Stored multiplied_along(const Stored& array, const RotationReading& reading, std::size_t axis,
                        std::vector<double> factors) {
  Stored wide = array;
  wide.dtype = DType::f64;
  wide.fill = [array, reading, axis, factors = std::move(factors)](Index first, Index count,
                                                                   std::byte* out) {
    auto* values = reinterpret_cast<double*>(out);
    array.read(first, count, values);
    for (Index i = 0; i < count; ++i)
      values[i] *=
          factors[static_cast<std::size_t>(reading.along((first + i) / reading.width, axis))];
  };
  return narrowed(wide, array.dtype);
}

// Every number multiplied, and rounded to the array's own type again; where it then is one of
// `after` to two roundings, that one: what does not turn is compared exactly.
Stored multiplied(const Stored& array, double factor, const Stored& after) {
  Stored wide = array;
  wide.dtype = DType::f64;
  wide.fill = [array, factor, after](Index first, Index count, std::byte* out) {
    auto* values = reinterpret_cast<double*>(out);
    array.read(first, count, values);
    std::vector<double> there(static_cast<std::size_t>(count));
    after.read(first, count, there.data());
    const double near = 4 * std::max(unit_roundoff(array.dtype), unit_roundoff(after.dtype));
    for (std::size_t i = 0; i < there.size(); ++i) {
      values[i] *= factor;
      if (std::fabs(values[i] - there[i]) <= near * std::fabs(there[i])) values[i] = there[i];
    }
  };
  return narrowed(wide, array.dtype);
}

class Lengths {
 public:
  Lengths(Kept<Dump> dump, Kept<RotationReading> reading, double magnitude)
      : dump_(dump),
        reading_(reading),
        magnitude_(magnitude),
        before_(lengths_of(dump_.before[0], reading_, 0, reading_.rows, magnitude)),
        after_(lengths_of(dump_.arrays[0], reading_, 0, reading_.rows)),
        near_(4 * std::max({unit_roundoff(dump_.arrays[0].dtype),
                            unit_roundoff(dump_.before[0].dtype), unit_roundoff(DType::f32)})) {}

  bool are_kept() const {
    for (std::size_t i = 0; i < after_.size(); ++i)
      if (!are_equal(after_[i], before_[i])) return false;
    return true;
  }

  // All vectors have grown, or shrunk, alike.
  std::optional<RestoredDump> grown() const {
    if (2 * reading_.pairs >= reading_.width) return {};  // the turns' own amplitude
    std::vector<double> ratios;
    for (std::size_t i = 0; i < after_.size(); ++i)
      if (before_[i] > 0) ratios.push_back(after_[i] / before_[i]);
    if (ratios.empty()) return {};
    const double ratio = median_of(ratios), error = near_ / 4;
    if (!(ratio > 0) || !std::isfinite(ratio) || std::fabs(ratio - 1) < near_ ||
        std::ranges::any_of(ratios, [&](double r) { return std::fabs(r - ratio) > near_ * ratio; }))
      return {};
    double factor = tidiest(ratio, error).value;
    std::string what = fmt::format("{:.6g}", factor);
    const auto width = static_cast<double>(reading_.width);
    for (const auto& [known, name] :
         {std::pair{1 / std::sqrt(width), "1/√dim"}, {std::sqrt(width), "√dim"}})
      if (std::fabs(known - ratio) <= error * ratio) {
        factor = known;
        what = fmt::format("{:.6g} = {}", factor, name);
      }
    return RestoredDump{
        {dump_.arrays, {multiplied(dump_.before[0], factor, dump_.arrays[0])}},
        {Cause::attention_factor_unexpected,
         fmt::format("every vector is multiplied by {}, the channels that do not turn, "
                     "too",
                     what)}};
  }

  // Those of each entry along another axis, as heads are, have grown alike, and others otherwise.
  std::optional<RestoredDump> grown_apart() const {
    for (std::size_t axis = 0; axis < reading_.extents.size(); ++axis) {
      const Index extent = reading_.extents[axis];
      if (extent < 2 || (axis != reading_.axis && extent > 1024)) continue;
      std::vector<double> factors, lengths(static_cast<std::size_t>(extent)), before = lengths;
      const auto entry = [&](std::size_t row) {
        return static_cast<std::size_t>(reading_.along(static_cast<Index>(row), axis));
      };
      for (std::size_t row = 0; row < after_.size(); ++row) {
        lengths[entry(row)] += after_[row] * after_[row];
        before[entry(row)] += before_[row] * before_[row];
      }
      for (std::size_t i = 0; i < lengths.size(); ++i)
        factors.push_back(std::sqrt(lengths[i] / before[i]));
      // Vectors that were not turned lack the turns' amplitude, and nothing else.
      const auto is_told = [&](double factor) {
        return factor > 0 && std::isfinite(factor) &&
               (magnitude_ == 1 || !are_equal(factor * magnitude_, 1));
      };
      const auto [least, most] = std::ranges::minmax(factors);
      if (!std::ranges::all_of(factors, is_told) || !(most - least > 2 * near_ * most)) continue;
      bool alike = true;
      for (std::size_t row = 0; alike && row < after_.size(); ++row)
        alike = are_equal(after_[row], before_[row] * factors[entry(row)]);
      if (!alike) continue;
      const std::string name = name_of_axis(reading_, axis);
      std::string sentence = fmt::format(
          "the vectors of each {} are multiplied by a number of its own: {:.4g}, "
          "{:.4g}{}",
          name, factors[0], factors[1],
          extent > 2 ? fmt::format("{} {:.4g}", extent > 3 ? ", …," : ",", factors.back()) : "");
      return RestoredDump{{{dump_.arrays[0]},
                           {multiplied_along(dump_.before[0], reading_, axis, std::move(factors))}},
                          {Cause::wrong_amplitude, std::move(sentence)}};
    }
    return {};
  }

  // Each vector has grown by a number of its own, as by a norm.
  std::optional<RestoredDump> grown_each() const {
    if (std::ranges::find(after_, 0.0) != after_.end()) return {};
    auto factors = std::make_shared<std::vector<double>>();
    for (std::size_t row = 0; row < after_.size(); ++row)
      factors->push_back(before_[row] > 0 ? after_[row] / before_[row] : 1);
    Stored wide = dump_.before[0];
    wide.dtype = DType::f64;
    wide.fill = [array = dump_.before[0], width = reading_.width, factors](Index first, Index count,
                                                                           std::byte* out) {
      auto* values = reinterpret_cast<double*>(out);
      array.read(first, count, values);
      for (Index i = 0; i < count; ++i)
        values[i] *= (*factors)[static_cast<std::size_t>((first + i) / width)];
    };
    const auto [smallest, largest] = std::ranges::minmax(*factors);
    if (are_equal(smallest, largest)) return {};
    const auto [least, most] = std::ranges::minmax(after_);
    const bool is_norm = are_equal(least, most);
    return RestoredDump{
        {{dump_.arrays[0]}, {narrowed(wide, dump_.before[0].dtype)}},
        {Cause::wrong_amplitude,
         is_norm
             ? fmt::format("every vector was made {:.4g} long, as a norm between makes it", most)
             : std::string("every vector is multiplied by a number of its own, as by a "
                           "norm between")}};
  }

  // Each vector is the turn of one some places before it, or behind: the one that belongs there, or
  // one that was turned as the place says where it stands.
  void add_late(std::vector<RestoredDump>& all) const {
    const std::size_t axis = reading_.axis;
    const Index run = reading_.extents[axis];
    for (Index k = 1; 2 * k <= run; ++k)
      for (const Index by : {k, -k}) {
        if (!are_moved(by)) continue;
        const Index later = std::max<Index>(by, 0), earlier = std::max<Index>(-by, 0),
                    count = run - k;
        const std::string there = fmt::format("p {} {}", by > 0 ? "−" : "+", k);
        const Dump left{{rows_of(dump_.arrays[0], axis, later, count)},
                        {rows_of(dump_.before[0], axis, earlier, count)}};
        all.push_back({left,
                       {Cause::rows_permuted,
                        fmt::format("position p holds what belongs at position {}", there)},
                       earlier,
                       count});
        all.push_back(
            {left,
             {Cause::rows_permuted,
              fmt::format("position p holds the vector of position {}, turned as that of p",
                          there)},
             later,
             count});
        return;
      }
  }

  // An array [position, head] in memory whose axes bear the names of [head, position].
  void add_exchanged(std::vector<RestoredDump>& all) const {
    for (std::size_t axis = 0; axis < reading_.extents.size(); ++axis) {
      if (axis == reading_.axis || reading_.extents[axis] < 2) continue;
      RotationReading other = reading_;  // the same before the axes were moved
      std::swap(other.extents[axis], other.extents[reading_.axis]);
      for (const RotationReading& view : {reading_, other}) {
        if (!are_exchanged(view, axis)) continue;
        all.push_back(
            {{{with_axes_put_right(dump_.arrays[0], view, axis, reading_.axis)}, dump_.before},
             {Cause::rows_permuted,
              fmt::format("positions and {0}s stand in each other's place: the numbers "
                          "lie as if axes {1} and {2} had been exchanged by a view, and "
                          "not moved",
                          name_of_axis(reading_, axis), std::min(axis, reading_.axis),
                          std::max(axis, reading_.axis))}});
        return;
      }
    }
  }

  // Entries along an axis stand in another order: turned where they stand, or, of positions, before
  // they were moved there.
  void add_permuted(std::vector<RestoredDump>& all, bool positions) const {
    for (std::size_t axis = 0; axis < reading_.extents.size(); ++axis) {
      if (reading_.extents[axis] < 2 || (axis == reading_.axis) != positions) continue;
      const std::vector<Index> sources = sources_along(axis);
      const auto moved = std::ranges::find_if(
          sources, [&, entry = Index{0}](Index s) mutable { return s != entry++; });
      if (moved == sources.end()) continue;
      const std::string name = name_of_axis(reading_, axis);
      const Reason reason{
          name == "head" ? Cause::heads_permuted : Cause::rows_permuted,
          fmt::format("vectors stand in another order along axis {}: {} {} is the turn of {}", axis,
                      name, moved - sources.begin(), *moved)};
      all.push_back({{dump_.arrays, {gathered(dump_.before[0], axis, sources)}}, reason});
      if (axis != reading_.axis) continue;
      std::vector<Index> places(sources.size(), -1);
      for (std::size_t i = 0; i < sources.size(); ++i)
        places[static_cast<std::size_t>(sources[i])] = static_cast<Index>(i);
      if (std::ranges::find(places, -1) == places.end())
        all.push_back({{{gathered(dump_.arrays[0], axis, places)}, dump_.before}, reason});
    }
  }

 private:
  bool are_equal(double a, double b) const { return std::fabs(a - b) <= near_ * std::max(a, b); }

  bool are_exchanged(const RotationReading& view, std::size_t axis) const {
    for (Index row = 0; row < reading_.rows; ++row)
      if (!are_equal(
              after_[static_cast<std::size_t>(row_of_exchanged(view, row, axis, reading_.axis))],
              before_[static_cast<std::size_t>(row)]))
        return false;
    return true;
  }

  // Which entry before each one along an axis was, by the lengths of its vectors: its own where
  // they allow it. Empty where one has none.
  std::vector<Index> sources_along(std::size_t axis) const {
    const Index extent = reading_.extents[axis], inner = reading_.inner(axis);
    std::vector<std::pair<double, Index>> lengths;  // of each entry's first vector
    for (Index entry = 0; entry < extent; ++entry)
      lengths.emplace_back(before_[static_cast<std::size_t>(entry * inner)], entry);
    std::ranges::sort(lengths);
    constexpr Index most_looked = Index{1} << 22;
    Index looked = 0;
    std::vector<Index> sources;
    for (Index entry = 0; entry < extent; ++entry) {
      const double length = after_[static_cast<std::size_t>(entry * inner)];
      Index source = are_one(axis, entry, entry) ? entry : -1;
      for (auto at = std::ranges::lower_bound(lengths, std::pair{length * (1 - near_), Index{-1}});
           source < 0 && at != lengths.end() && at->first * (1 - near_) <= length; ++at)
        if (are_one(axis, entry, at->second))
          source = at->second;
        else if (++looked > most_looked)
          return {};
      if (source < 0) return {};
      sources.push_back(source);
    }
    return sources;
  }

  bool are_moved(Index by) const {
    for (Index slot = std::max<Index>(by, 0); slot < reading_.run + std::min<Index>(by, 0); ++slot)
      if (!are_one(reading_.axis, slot, slot - by)) return false;
    return true;
  }

  // Whether the vectors of an entry along an axis are as long as those of another were.
  bool are_one(std::size_t axis, Index entry, Index source) const {
    const Index inner = reading_.inner(axis), block = inner * reading_.extents[axis];
    for (Index first = 0; first < std::ssize(after_); first += block)
      for (Index i = 0; i < inner; ++i)
        if (!are_equal(after_[static_cast<std::size_t>(first + entry * inner + i)],
                       before_[static_cast<std::size_t>(first + source * inner + i)]))
          return false;
    return true;
  }

  const Dump& dump_;
  const RotationReading& reading_;
  double magnitude_;
  std::vector<double> before_, after_;
  double near_;
};

}  // namespace

bool keep_lengths(const Dump& dump, const RotationReading& reading, double magnitude) {
  constexpr Index most = 64;
  const double near = 4 * unit_roundoff(DType::bf16);
  for (const Index row : spread_over(reading.rows, most)) {
    const double before = lengths_of(dump.before[0], reading, row, row + 1, magnitude)[0],
                 after = lengths_of(dump.arrays[0], reading, row, row + 1)[0];
    if (!(std::fabs(after - before) <= near * std::max(before, after))) return false;
  }
  return true;
}

std::optional<RestoredDump> restored_by_own_lengths(const Dump& dump,
                                                    const RotationReading& reading) {
  constexpr Index least_pairs = 4;
  if (reading.rows > most_rows || reading.pairs < least_pairs) return {};
  return Lengths(dump, reading, 1).grown_each();
}

std::vector<RestoredDump> restored_by_norms(const Dump& dump, const RotationReading& reading,
                                            double magnitude) {
  if (reading.rows > most_rows || reading.rows < 2) return {};
  const auto type = type_of_numbers(dump.arrays[0]);
  const Dump as_made =
      type ? Dump{{narrowed(dump.arrays[0], *type)}, {narrowed(dump.before[0], *type)}} : dump;
  std::vector<RestoredDump> all;
  for (const double by : {magnitude, common_magnitude(as_made, reading)}) {
    if (!std::isfinite(by)) continue;
    const Lengths lengths(as_made, reading, by);
    if (lengths.are_kept()) return {};
    if (auto grown = lengths.grown()) return {std::move(*grown)};
    if (auto apart = lengths.grown_apart()) return {std::move(*apart)};
    lengths.add_permuted(all, false);
    if (all.empty()) lengths.add_exchanged(all);
    if (all.empty()) lengths.add_late(all);
    if (all.empty()) lengths.add_permuted(all, true);
    if (!all.empty()) return all;
  }
  return all;
}

}  // namespace pe
