// Halving until a parabola decides; where the slope has one sign, Newton's steps and a bracket.
#include "pe/analyze/base_bound/base_pieces.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/kept.hpp"

namespace pe {
namespace {

struct Parabola {
  BaseValue value;
  double slope_change;  // at most so much over the half width
  double reach;         // at most so far from the value in the middle
};

Parabola parabola(const BaseSums& sums, const BaseLadder& middle, double half, Index distance) {
  const BaseValue value = sums.at(middle, distance);
  const double bend = middle.curvature(static_cast<double>(distance), half);
  const double steepest = std::min(std::fabs(value.slope) + value.slope_error + half * bend / 2,
                                   middle.slope_bound(static_cast<double>(distance), half));
  return {value, half * bend, half * steepest + value.error};
}

BaseSign sign_of(const Parabola& curve) {
  if (curve.value.value < -curve.reach) return BaseSign::negative;
  return curve.value.value > curve.reach ? BaseSign::positive : BaseSign::open;
}

class Pieces {
 public:
  Pieces(Kept<BaseSums> sums, Index distance) : sums_(sums), distance_(distance) {}

  void look(double from, double to) {
    const double middle = from + (to - from) / 2, half = std::max(middle - from, to - middle);
    const BaseLadder ladder = sums_.ladder(middle);
    const Parabola curve = parabola(sums_, ladder, half, distance_);
    const BaseSign sign = sign_of(curve);
    if (sign == BaseSign::negative) add(from, to);
    if (sign != BaseSign::open) return;
    const double slope =
        std::fabs(curve.value.slope) - curve.value.slope_error - curve.slope_change;
    if (slope > 0) return cross(from, to, middle, slope, curve.value.slope > 0);
    if (middle <= from || middle >= to || half < 1e-14 * std::max(1.0, middle)) {
      return leave(to - from);
    }
    look(from, middle);
    look(middle, to);
  }

  BasePieces take() { return std::move(found_); }

 private:
  BaseValue at(double u) const { return sums_.at(sums_.ladder(u), distance_); }

  // Steeper than `slope` all over: one root at most, which Newton's steps find.
  void cross(double from, double to, double u, double slope, bool rises) {
    const BaseValue first = at(from), last = at(to);
    const double low = rises ? first.value : last.value, high = rises ? last.value : first.value;
    if (low > std::max(first.error, last.error)) return;
    if (high < -std::max(first.error, last.error)) return add(from, to);
    BaseValue value = at(u);
    for (int step = 0; step < 60 && std::fabs(value.value) > 2 * value.error; ++step) {
      const double next = std::clamp(u - value.value / value.slope, from, to);
      if (next == u) break;  // nothing nearer can be told
      u = next;
      value = at(u);
    }
    const double off = bracket(u, value, slope), below = u - off, above = u + off;
    if (rises && below > from) add(from, std::min(below, to), 2 * off);
    if (!rises && above < to) add(std::max(above, from), to);
    leave(std::max(0.0, std::min(above, to) - std::max(below, from)));
  }

  // How far the root may be from u. Within twice the Newton step the curve is at least half as
  // steep as at u, if its bend allows: then it passes zero there.
  double bracket(double u, const BaseValue& value, double slope) const {
    const double steep = std::fabs(value.slope) - value.slope_error;
    const double off = 2 * (std::fabs(value.value) + value.error) / steep;
    const double bend = sums_.ladder(u).curvature(static_cast<double>(distance_), off);
    const double rounding = 4 * 0x1p-53 * u;
    if (steep > 0 && steep - off * bend >= steep / 2) return off + rounding;
    return (std::fabs(value.value) + value.error) / slope + rounding;
  }

  void leave(double width) {
    found_.unknown += width;
    found_.widest = std::max(found_.widest, width);
  }

  void add(double from, double to, double doubt = 0) {
    if (found_.negative.empty() || found_.negative.back().to != from)
      found_.negative.push_back({from, to, distance_});
    found_.negative.back().to = to;
    found_.negative.back().doubt = doubt;
  }

  const BaseSums& sums_;
  Index distance_;
  BasePieces found_;
};

}  // namespace

BaseSign sign_between(const BaseSums& sums, const BaseLadder& middle, double half, Index distance) {
  return sign_of(parabola(sums, middle, half, distance));
}

BasePieces negative_pieces(const BaseSums& sums, Index distance, double from, double to) {
  Pieces pieces(sums, distance);
  pieces.look(from, to);
  return pieces.take();
}

}  // namespace pe
