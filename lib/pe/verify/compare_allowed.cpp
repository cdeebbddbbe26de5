// What counts as equal: a tolerance, and the rows that both arrays have.
#include <algorithm>
#include <cmath>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/verify/compare.hpp"

namespace pe {
namespace {

constexpr Index block = 1 << 16;

// The axes that are longer than one.
std::vector<std::size_t> axes_of(const std::vector<Index>& shape) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1) axes.push_back(i);
  return axes;
}

// Positions are rows along any axis but the last, which holds channels, pairs or keys: those are
// other ones where there are more of them, and what stands first in both is not the same thing.
std::optional<Comparison::Common> common_rows(const Stored& a, const Stored& b) {
  const auto in_a = axes_of(a.shape), in_b = axes_of(b.shape);
  if (in_a.size() != in_b.size()) return {};
  std::optional<Comparison::Common> common;
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    const Index rows_a = a.shape[in_a[i]], rows_b = b.shape[in_b[i]];
    if (rows_a == rows_b) continue;
    if (common || i + 1 == in_a.size() || std::min(rows_a, rows_b) == 0) return {};
    common = Comparison::Common{in_a[i], in_b[i], std::min(rows_a, rows_b), rows_a, rows_b};
  }
  return common;
}

std::vector<Index> place_of(Index flat, const std::vector<Index>& shape) {
  std::vector<Index> at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; flat /= shape[axis])
    at[axis] = flat % shape[axis];
  return at;
}

// |a − b| in units of what is allowed; 0 where they are the same, infinite where one is no number.
double times_allowed(double a, double b, const Allowed::Tolerance& tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return HUGE_VAL;
  const double allowed = tolerance.absolute + tolerance.relative * std::abs(b);
  return allowed > 0 ? std::abs(a - b) / allowed : HUGE_VAL;
}

bool is_near(double a, double b, const Allowed::Tolerance& tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
}

Comparison::Beyond beyond(const Stored& a, const Stored& b, const Allowed::Tolerance& tolerance) {
  Comparison::Beyond found;
  std::vector<double> left, right;
  for (Index first = 0; first < a.size(); first += block) {
    ask_time();
    const Index count = std::min(block, a.size() - first);
    left.resize(static_cast<std::size_t>(count));
    right.resize(left.size());
    a.read(first, count, left.data());
    b.read(first, count, right.data());
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (is_near(left[i], right[i], tolerance)) continue;
      ++found.count;
      const double times = times_allowed(left[i], right[i], tolerance);
      if (found.worst && !(times > found.times)) continue;
      found.times = times;
      found.worst = {place_of(first + static_cast<Index>(i), a.shape), left[i], right[i]};
    }
  }
  return found;
}

}  // namespace

bool Comparison::near(const Allowed& allowed) const {
  if (!allowed.tolerance) return equal(allowed.ulps, allowed.as_bias);
  if (allowed.as_bias && up_to_constant)
    return up_to_constant->worst <= allowed.tolerance->absolute;
  return beyond && beyond->count == 0;
}

Comparison compare(const Stored& a, const Stored& b, const Allowed& allowed) {
  const auto common = common_rows(a, b);
  const Stored left = common ? rows_of(a, common->axis_a, 0, common->rows) : a,
               right = common ? rows_of(b, common->axis_b, 0, common->rows) : b;
  Comparison comparison = compare(left, right, allowed.as_bias);
  comparison.common = common;
  if (allowed.tolerance && !allowed.as_bias)
    comparison.beyond = beyond(left, right, *allowed.tolerance);
  return comparison;
}

}  // namespace pe
