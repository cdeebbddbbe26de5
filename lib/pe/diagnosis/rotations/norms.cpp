// Lengths of vectors before and after, compared along each axis.
#include "pe/diagnosis/rotations/norms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/kept.hpp"
#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

// More lengths than these are not held.
constexpr Index most_rows = Index{1} << 20;

std::vector<double> lengths_of(const Stored& array, Index width) {
  const Index rows = array.size() / width, block = std::max<Index>(1, (Index{1} << 16) / width);
  std::vector<double> lengths, values;
  for (Index first = 0; first < rows; first += block) {
    const Index count = std::min(block, rows - first);
    values.resize(static_cast<std::size_t>(count * width));
    array.read(first * width, count * width, values.data());
    for (auto at = values.begin(); at != values.end(); at += width)
      lengths.push_back(std::sqrt(std::inner_product(at, at + width, at, 0.0)));
  }
  return lengths;
}

// Every number multiplied, and rounded to the array's own type again.
Stored multiplied(const Stored& array, double factor) {
  Stored wide = array;
  wide.dtype = DType::f64;
  wide.fill = [array, factor](Index first, Index count, std::byte* out) {
    auto* values = reinterpret_cast<double*>(out);
    array.read(first, count, values);
    for (double& value : std::span(values, static_cast<std::size_t>(count))) value *= factor;
  };
  return narrowed(wide, array.dtype);
}

class Lengths {
 public:
  Lengths(Kept<Dump> dump, Kept<RotationReading> reading)
      : dump_(dump),
        reading_(reading),
        before_(lengths_of(dump_.before[0], reading_.width)),
        after_(lengths_of(dump_.arrays[0], reading_.width)),
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
        {dump_.arrays, {multiplied(dump_.before[0], factor)}},
        {Cause::attention_factor_unexpected,
         fmt::format("every vector is multiplied by {}, the channels that do not turn, "
                     "too",
                     what)}};
  }

  // Each vector is the turn of one some places before it, or behind.
  void add_late(std::vector<RestoredDump>& all) const {
    const std::size_t axis = reading_.axis;
    const Index run = reading_.extents[axis];
    for (Index k = 1; 2 * k <= run; ++k)
      for (const Index by : {k, -k}) {
        if (!are_moved(by)) continue;
        const Index later = std::max<Index>(by, 0), earlier = std::max<Index>(-by, 0),
                    count = run - k;
        const Reason reason{
            Cause::rows_permuted,
            fmt::format("position p holds the turn of the vector before position p {} {}",
                        by > 0 ? "−" : "+", k)};
        const Dump left{{rows_of(dump_.arrays[0], axis, later, count)},
                        {rows_of(dump_.before[0], axis, earlier, count)}};
        all.push_back({left, reason, earlier, count});
        all.push_back({left, reason, later, count});
        return;
      }
  }

  // Entries along another axis, as heads are, stand in another order.
  void add_permuted(std::vector<RestoredDump>& all) const {
    for (std::size_t axis = 0; axis < reading_.extents.size(); ++axis) {
      const Index extent = reading_.extents[axis];
      if (axis == reading_.axis || extent < 2 || extent > 1024) continue;
      std::vector<Index> sources;
      for (Index entry = 0; entry < extent; ++entry) {
        Index source = 0;
        while (source < extent && !are_one(axis, entry, source)) ++source;
        if (source == extent) break;
        sources.push_back(source);
      }
      if (std::ssize(sources) < extent) continue;
      const std::string name = name_of_axis(reading_, axis);
      const auto moved = std::ranges::find_if(
          sources, [&, entry = Index{0}](Index s) mutable { return s != entry++; });
      all.push_back(
          {{dump_.arrays, {gathered(dump_.before[0], axis, sources)}},
           {name == "head" ? Cause::heads_permuted : Cause::rows_permuted,
            fmt::format("{}s stand in another order: the first of them, {}, is the turn of {}",
                        name, moved - sources.begin(), *moved)}});
    }
  }

 private:
  bool are_equal(double a, double b) const { return std::fabs(a - b) <= near_ * std::max(a, b); }

  bool are_moved(Index by) const {
    for (std::size_t i = 0; i < after_.size(); ++i) {
      const Index slot = reading_.slot(static_cast<Index>(i)) - by;
      if (slot < 0 || slot >= reading_.run) continue;
      const auto source = static_cast<std::size_t>(static_cast<Index>(i) - by * reading_.stride);
      if (!are_equal(after_[i], before_[source])) return false;
    }
    return true;
  }

  bool are_one(std::size_t axis, Index entry, Index source) const {
    Index inner = 1;
    for (std::size_t i = axis + 1; i < reading_.extents.size(); ++i) inner *= reading_.extents[i];
    for (Index row = 0; row < std::ssize(after_); ++row) {
      if (reading_.along(row, axis) != entry) continue;
      const auto from = static_cast<std::size_t>(row + (source - entry) * inner);
      if (!are_equal(after_[static_cast<std::size_t>(row)], before_[from])) return false;
    }
    return true;
  }

  const Dump& dump_;
  const RotationReading& reading_;
  std::vector<double> before_, after_;
  double near_;
};

}  // namespace

std::vector<RestoredDump> restored_by_norms(const Dump& dump, const RotationReading& reading) {
  if (reading.rows > most_rows || reading.rows < 2) return {};
  const Lengths lengths(dump, reading);
  if (lengths.are_kept()) return {};
  std::vector<RestoredDump> all;
  if (auto grown = lengths.grown()) return {std::move(*grown)};
  lengths.add_permuted(all);
  if (all.empty()) lengths.add_late(all);
  return all;
}

}  // namespace pe
