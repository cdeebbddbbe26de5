// The numbers that vectors were multiplied by: one, one of each head, one of each vector.
#include "pe/diagnosis/rotations/lengths/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

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

}  // namespace

std::optional<RestoredDump> grown(const Lengths& lengths) {
  if (2 * lengths.reading().pairs >= lengths.reading().width)
    return {};  // the turns' own amplitude
  std::vector<double> ratios;
  for (std::size_t i = 0; i < lengths.after().size(); ++i)
    if (lengths.before()[i] > 0) ratios.push_back(lengths.after()[i] / lengths.before()[i]);
  if (ratios.empty()) return {};
  const double ratio = median_of(ratios), error = lengths.near() / 4;
  if (!(ratio > 0) || !std::isfinite(ratio) || std::fabs(ratio - 1) < lengths.near() ||
      std::ranges::any_of(ratios,
                          [&](double r) { return std::fabs(r - ratio) > lengths.near() * ratio; }))
    return {};
  double factor = tidiest(ratio, error).value;
  std::string what = fmt::format("{:.6g}", factor);
  const auto width = static_cast<double>(lengths.reading().width);
  for (const auto& [known, name] :
       {std::pair{1 / std::sqrt(width), "1/√dim"}, {std::sqrt(width), "√dim"}})
    if (std::fabs(known - ratio) <= error * ratio) {
      factor = known;
      what = fmt::format("{:.6g} = {}", factor, name);
    }
  return RestoredDump{
      {lengths.dump().arrays,
       {multiplied(lengths.dump().before[0], factor, lengths.dump().arrays[0])}},
      {Cause::attention_factor_unexpected,
       fmt::format("every vector is multiplied by {}, the channels that do not turn, "
                   "too",
                   what)}};
}

std::optional<RestoredDump> rest_grown(const Dump& dump, const RotationReading& reading,
                                       double magnitude) {
  constexpr Index most = 256;  // vectors
  constexpr double roundings = 4;
  const Stored &before = dump.before[0], &after = dump.arrays[0];
  std::vector<bool> rests(static_cast<std::size_t>(reading.width));
  for (Index k = 0; k < reading.width; ++k) rests[static_cast<std::size_t>(k)] = !turns(reading, k);
  const double near = roundings * std::max(unit_roundoff(before.dtype), unit_roundoff(after.dtype));
  std::vector<double> x(rests.size()), y = x, ratios;
  for (const Index row : spread_over(reading.rows, most)) {
    before.read(row * reading.width, reading.width, x.data());
    after.read(row * reading.width, reading.width, y.data());
    for (std::size_t k = 0; k < rests.size(); ++k)
      if (rests[k] && x[k] != 0) ratios.push_back(y[k] / x[k]);
  }
  if (ratios.empty()) return {};
  const double ratio = median_of(ratios);
  if (!(ratio > 0) || !std::isfinite(ratio) || std::fabs(ratio - 1) <= near ||
      std::ranges::any_of(ratios,
                          [&](double r) { return !(std::fabs(r - ratio) <= near * ratio); }))
    return {};
  const bool is_of_turns = std::fabs(ratio - magnitude) <= near * ratio;
  RestoredDump restored{
      dump,
      {Cause::attention_factor_unexpected,
       fmt::format("the channels that do not turn are multiplied by {:.6g}, too",
                   is_of_turns ? magnitude : tidiest(ratio, near / roundings * ratio).value)}};
  Stored& rest = restored.dump.arrays[0];
  rest.fill = [before = narrowed(before, after.dtype), after, rests](Index first, Index count,
                                                                     std::byte* out) {
    const std::size_t size = size_of(after.dtype);
    std::vector<std::byte> there(static_cast<std::size_t>(count) * size);
    after.fill(first, count, out);
    before.fill(first, count, there.data());
    for (Index i = 0; i < count; ++i)
      if (rests[static_cast<std::size_t>((first + i) % std::ssize(rests))])
        std::copy_n(there.data() + static_cast<std::size_t>(i) * size, size,
                    out + static_cast<std::size_t>(i) * size);
  };
  return restored;
}

std::optional<RestoredDump> grown_apart(const Lengths& lengths) {
  for (std::size_t axis = 0; axis < lengths.reading().extents.size(); ++axis) {
    const Index extent = lengths.reading().extents[axis];
    if (extent < 2 || (axis != lengths.reading().axis && extent > 1024)) continue;
    std::vector<double> factors, after(static_cast<std::size_t>(extent)), before = after;
    const auto entry = [&](std::size_t row) {
      return static_cast<std::size_t>(lengths.reading().along(static_cast<Index>(row), axis));
    };
    for (std::size_t row = 0; row < lengths.after().size(); ++row) {
      after[entry(row)] += lengths.after()[row] * lengths.after()[row];
      before[entry(row)] += lengths.before()[row] * lengths.before()[row];
    }
    for (std::size_t i = 0; i < after.size(); ++i)
      factors.push_back(std::sqrt(after[i] / before[i]));
    // Vectors that were not turned lack the turns' amplitude, and nothing else.
    const auto is_told = [&](double factor) {
      return factor > 0 && std::isfinite(factor) &&
             (lengths.magnitude() == 1 || !lengths.are_equal(factor * lengths.magnitude(), 1));
    };
    // A vector that was damaged gives its position another length, and leaves the others theirs.
    const double median = median_of(factors);
    const auto alike_ones = std::ranges::count_if(
        factors, [&](double factor) { return lengths.are_equal(factor, median); });
    if (axis == lengths.reading().axis && 2 * alike_ones > extent) continue;
    const auto [least, most] = std::ranges::minmax(factors);
    if (!std::ranges::all_of(factors, is_told) || !(most - least > 2 * lengths.near() * most))
      continue;
    bool alike = true;
    for (std::size_t row = 0; alike && row < lengths.after().size(); ++row)
      alike = lengths.are_equal(lengths.after()[row], lengths.before()[row] * factors[entry(row)]);
    if (!alike) continue;
    const std::string name = name_of_axis(lengths.reading(), axis);
    std::string sentence = fmt::format(
        "the vectors of each {} are multiplied by a number of its own: {:.4g}, "
        "{:.4g}{}",
        name, factors[0], factors[1],
        extent > 2 ? fmt::format("{} {:.4g}", extent > 3 ? ", …," : ",", factors.back()) : "");
    return RestoredDump{
        {{lengths.dump().arrays[0]},
         {multiplied_along(lengths.dump().before[0], lengths.reading(), axis, std::move(factors))}},
        {Cause::wrong_amplitude, std::move(sentence)}};
  }
  return {};
}

std::optional<RestoredDump> grown_each(const Lengths& lengths) {
  if (std::ranges::find(lengths.after(), 0.0) != lengths.after().end()) return {};
  auto factors = std::make_shared<std::vector<double>>();
  for (std::size_t row = 0; row < lengths.after().size(); ++row)
    factors->push_back(lengths.before()[row] > 0 ? lengths.after()[row] / lengths.before()[row]
                                                 : 1);
  Stored wide = lengths.dump().before[0];
  wide.dtype = DType::f64;
  wide.fill = [array = lengths.dump().before[0], width = lengths.reading().width, factors](
                  Index first, Index count, std::byte* out) {
    auto* values = reinterpret_cast<double*>(out);
    array.read(first, count, values);
    for (Index i = 0; i < count; ++i)
      values[i] *= (*factors)[static_cast<std::size_t>((first + i) / width)];
  };
  const auto [smallest, largest] = std::ranges::minmax(*factors);
  if (lengths.are_equal(smallest, largest)) return {};
  const auto [least, most] = std::ranges::minmax(lengths.after());
  const bool is_norm = lengths.are_equal(least, most);
  return RestoredDump{
      {{lengths.dump().arrays[0]}, {narrowed(wide, lengths.dump().before[0].dtype)}},
      {Cause::wrong_amplitude,
       is_norm ? fmt::format("every vector was made {:.4g} long, as a norm between makes it", most)
               : std::string("every vector is multiplied by a number of its own, as by a "
                             "norm between")}};
}

}  // namespace pe
