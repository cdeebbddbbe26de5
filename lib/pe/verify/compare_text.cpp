// A comparison for people.
#include <fmt/format.h>

#include <cmath>

#include "pe/base/text.hpp"
#include "pe/verify/columns.hpp"
#include "pe/verify/compare.hpp"

namespace pe {
namespace {

std::string entry(std::string_view label, const std::string& text) {
  return fmt::format("  {:<15}{}\n", label, report_parts::folded(text, 17, 17));
}

std::string spell_index(const std::vector<Index>& at) {
  return fmt::format("[{}]", fmt::join(at, ", "));
}

// A part of the whole: never 100 % where it is not all, nor 0 % where it is some.
std::string share(Index part, Index whole) {
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (part == whole) return "all";
  return part > 0 && (percent < 0.01 || percent > 99.99) ? fmt::format("{} of {}", part, whole)
                                                         : fmt::format("{:.2f} %", percent);
}

std::string spell_place(const Comparison::Place& place) {
  return fmt::format("{}: {:.9g} against {:.9g}", spell_index(place.at), place.a, place.b);
}

// "0: 97 %   1: 2 %   3-4: 1 %", what lies beyond 64 as one.
std::string histogram(const Comparison& c) {
  constexpr std::size_t beyond = 8;  // the bin after 33-64
  std::string text;
  Index far = 0;
  const auto put = [&](const std::string& name, Index count) {
    if (count > 0)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "   ", name, share(count, c.size));
  };
  for (std::size_t bin = 0; bin < beyond; ++bin) put(ulp_bin_name(bin), c.ulps[bin]);
  for (std::size_t bin = beyond; bin + 1 < ulp_bins; ++bin) far += c.ulps[bin];
  put(fmt::format("more, up to {}", c.worst_ulps), far);
  put(ulp_bin_name(ulp_bins - 1), c.ulps[ulp_bins - 1]);
  return text;
}

std::string array_of(const std::vector<Index>& shape, DType dtype) {
  return fmt::format("{} {}", spell_index(shape), name_of(dtype));
}

}  // namespace

namespace {

std::string spell_allowed(const Allowed& allowed) {
  if (!allowed.tolerance)
    return fmt::format("{} ulp{}", allowed.ulps, allowed.ulps == 1 ? "" : "s");
  const auto& [absolute, relative] = *allowed.tolerance;
  if (relative == 0) return fmt::format("{:g}", absolute);
  return fmt::format("{}{:g} of the second", absolute > 0 ? fmt::format("{:g} and ", absolute) : "",
                     relative);
}

// What is said of the values that both have.
std::string nearness(const Comparison& c, const Allowed& allowed) {
  if (!c.near(allowed)) return "DIFFERENT";
  const bool as_stored = !allowed.tolerance || c.dtype_a == c.dtype_b;
  if (c.equal_bits == c.size && as_stored)
    return fmt::format("equal, bit for bit ({} values)", c.size);
  if (!allowed.as_bias) return "equal within " + spell_allowed(allowed);
  return fmt::format(
      "equal up to a constant for each row{}",
      allowed.tolerance ? fmt::format(" and {:g}", allowed.tolerance->absolute) : "");
}

std::string verdict_of(const Comparison& c, const Allowed& allowed) {
  const std::string near = nearness(c, allowed);
  if (!c.common) return near;
  const auto [axis_a, axis_b, rows, in_a, in_b] = *c.common;
  if (c.passes(allowed) || !c.near(allowed))
    return fmt::format("{} in the {} rows that both have, of {} and {}", near, rows, in_a, in_b);
  return fmt::format("DIFFERENT, of {} and {} rows; the {} that both have are {}", in_a, in_b, rows,
                     near);
}

std::vector<Index> with_extent(std::vector<Index> shape, std::size_t axis, Index extent) {
  shape.at(axis) = extent;
  return shape;
}

std::string outside(const Comparison::Beyond& beyond, Index size) {
  return fmt::format("{} of {} values, worst {}: {:.4g} times what is allowed", beyond.count, size,
                     spell_place(*beyond.worst), beyond.times);
}

}  // namespace

std::string to_text(const Comparison& c, const Allowed& allowed) {
  const auto& common = c.common;
  const std::vector<Index> shape_a = common ? with_extent(c.shape_a, common->axis_a, common->a)
                                            : c.shape_a,
                           shape_b = common ? with_extent(c.shape_b, common->axis_b, common->b)
                                            : c.shape_b;
  const bool alike = shape_a == shape_b && c.dtype_a == c.dtype_b;
  const std::string verdict =
      fmt::format("{} {}against {} {}: {}", printable(c.name_a),
                  alike ? "" : array_of(shape_a, c.dtype_a) + " ", printable(c.name_b),
                  array_of(shape_b, c.dtype_b), verdict_of(c, allowed));
  std::string text = report_parts::folded(verdict, 0, 2) + "\n";
  if (c.dtype_a != c.dtype_b)
    text += entry("compared as", fmt::format("{}{}", name_of(c.dtype),
                                             c.dtype == c.dtype_a || c.dtype == c.dtype_b
                                                 ? (is_integer(c.dtype) ? ", the wider of both"
                                                                        : ", the narrower of both")
                                                 : ""));
  if (c.a.nan + c.b.nan + c.a.infinite + c.b.infinite > 0)
    text += entry("not finite", fmt::format("NaN {} against {}, infinite {} against {}", c.a.nan,
                                            c.b.nan, c.a.infinite, c.b.infinite));
  if (c.beyond && c.beyond->count > 0) text += entry("not allowed", outside(*c.beyond, c.size));
  if (c.equal_bits == c.size) return text;
  text += entry("first at", spell_place(*c.first));
  if (c.absolute)
    text += entry("worst", fmt::format("{:.4g} at {}", c.worst_absolute, spell_place(*c.absolute)));
  if (c.relative)
    text += entry("worst relative",
                  fmt::format("{:.4g} at {}", c.worst_relative, spell_place(*c.relative)));
  text += entry(is_integer(c.dtype) ? "differences" : "ulps", histogram(c));
  text += entry("same bits", share(c.equal_bits, c.size));
  text += entry("scale",
                fmt::format("norms {:.6g} against {:.6g}, ratio {:.9g}; cosine similarity {:.9f}",
                            c.norm_a, c.norm_b, c.norm_a / c.norm_b, c.cosine));
  text += entry("largest", fmt::format("{:.9g} against {:.9g}", c.a.largest, c.b.largest));
  if (c.up_to_constant) {
    const Comparison::UpToConstant& rest = *c.up_to_constant;
    text += entry(
        "up to constant",
        rest.worst == 0
            ? "nothing is left once each row's own constant is taken out"
            : fmt::format("{:.4g} is left ({:.3g} ulps of the row's largest value), in row {}",
                          rest.worst, rest.ulps, spell_index(rest.row)));
  }
  return text;
}

}  // namespace pe
