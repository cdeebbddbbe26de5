// Where rows stand: the position on an axis that a row's phases agree with.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// To −π … π; below 2^30 within 2^-22, and far quicker than std::remainder.
double wrapped(double angle) {
  if (!(std::fabs(angle) < 0x1p30)) return std::remainder(angle, 2 * std::numbers::pi);
  constexpr double whole =
      0x1.8p52;  // added and taken away again, it leaves the nearest whole number
  return angle - 2 * std::numbers::pi * ((angle * (0.5 * std::numbers::inv_pi) + whole) - whole);
}

// The angles, modulo a turn, that a pair's observed sides allow: one, or two where a side alone was
// seen.
struct Angles {
  double one = 0, other = 0;

  // The step from `angle` to the nearer of them.
  double from(double angle) const {
    const double a = wrapped(one - angle);
    if (one == other) return a;
    const double b = wrapped(other - angle);
    return std::fabs(a) <= std::fabs(b) ? a : b;
  }
};

Angles angles_of(const RotationHypothesis& hypothesis, RotationReading::Side side, double cosine,
                 double sine) {
  using Side = RotationReading::Side;
  if (hypothesis.swapped) {
    std::swap(cosine, sine);
    if (side != Side::both) side = side == Side::sine ? Side::cosine : Side::sine;
  }
  const double c = cosine / hypothesis.cosine_magnitude,
               s = (hypothesis.reversed ? -sine : sine) / hypothesis.sine_magnitude;
  if (side == Side::both) {
    const double angle = std::atan2(s, c);
    return {angle, angle};
  }
  if (side == Side::cosine) {
    const double angle = std::acos(std::clamp(c, -1.0, 1.0));
    return {angle, -angle};
  }
  const double angle = std::asin(std::clamp(s, -1.0, 1.0));
  return {angle, std::numbers::pi - angle};
}

}  // namespace

// Positions are found from the slowest pair, whose wave is longest, and made sharper by each faster
// one. A step to the nearer of two angles is never longer than the one that is right. Where angles
// were rounded (slack), no pair is sharper than another: each counts by what it knows.
double RotationObservation::implied(const RotationHypothesis& hypothesis, std::size_t axis,
                                    const double* cosine, const double* sine, const double* slack,
                                    double near, std::span<const double> hints) const {
  std::vector<std::size_t> order;
  double norm = 0;
  for (std::size_t j = 0; j < pairs_; ++j) {
    norm = std::max({norm, std::fabs(cosine[j]), std::fabs(sine[j])});
    const bool turns = hypothesis.axis.empty() || hypothesis.axis[j] == axis;
    if (turns && hypothesis.frequencies[j] > 0 && slack[j] < 1) order.push_back(j);
  }
  // Zeros are no turn, but of sines alone they are position 0.
  const bool zeros = !(norm > 0) && (reading_->side == RotationReading::Side::both ||
                                     hypothesis.swapped == has_sine());
  if (order.empty() || zeros) return nan;
  std::ranges::sort(order, {}, [&](std::size_t j) { return hypothesis.frequencies[j]; });
  // What the pairs before leave open grows by the ratio of the frequencies. A pair that is farther
  // off than that is damaged, or the position is another: it moves nothing.
  struct Step {
    Angles angles;
    double frequency, open, weight;
  };
  std::vector<Step> steps;
  steps.reserve(order.size());
  for (double before = hypothesis.frequencies[order[0]]; const std::size_t j : order) {
    const double f = hypothesis.frequencies[j];
    steps.push_back({angles_of(hypothesis, reading_->side, cosine[j], sine[j]), f,
                     0.5 * std::max(1.0, f / before),
                     slack[j] > 0 ? f * f / (slack[j] * slack[j]) : 0});
    before = f;
  }
  const double slowest = hypothesis.frequencies[order[0]], wave = 2 * std::numbers::pi / slowest,
               reach = 2 * std::max({std::fabs(near), static_cast<double>(slots()),
                                     reading_->per_axis ? 0 : farthest_place()}) +
                       16;
  double best = nan, best_off = nan;
  // Where frequencies are whole multiples of the slowest, as those of few pairs over 10000 are,
  // places a wave apart agree alike: rows stand at whole positions, or at halves.
  constexpr double alike = 1e-6;
  const bool is_whole = near == std::nearbyint(near);
  const auto is_likelier = [&](double p, double off) {
    const bool as_good = off < best_off * 1.5 + alike;
    if (is_whole && as_good && best_off < off * 1.5 + alike) {
      const auto is_a_place = [](double x) { return std::fabs(2 * x - std::round(2 * x)) < 0.02; };
      if (is_a_place(p) != is_a_place(best)) return is_a_place(p);
    }
    return off < best_off || (as_good && std::fabs(p - near) < std::fabs(best - near) / 4);
  };
  // Off the angles by more than `hopeless` in all, a position cannot be the best.
  const auto refine = [&](double p) {
    const double hopeless = (1.5 * best_off + alike) * static_cast<double>(order.size());
    double off = 0, known = 0;
    for (const Step& pair : steps) {
      const double step = pair.angles.from(p * pair.frequency);
      if (std::fabs(step) < pair.open) {
        const double weight = pair.weight;
        p += step / pair.frequency * (weight > 0 ? weight / (known + weight) : 1);
        known += weight;
      } else if (off += std::fabs(step) / 2; off >= hopeless)
        return;
    }
    off = 0;
    for (const Step& pair : steps)
      if (off += std::fabs(pair.angles.from(p * pair.frequency)); off >= hopeless) return;
    off /= static_cast<double>(order.size());
    if (std::isnan(best) ? off < best_off : is_likelier(p, off)) {
      best = p;
      best_off = std::min(best_off, off);
    }
  };
  // Where a row may be expected its angles say so at once.
  const auto expected_at = [&](double hint) {
    constexpr double surely = 1e-3, off_a_place = 0.02;
    best_off = surely;
    if (hint == std::nearbyint(hint)) refine(hint);
    if (std::fabs(best - hint) < off_a_place) return true;
    best = nan;
    return false;
  };
  constexpr std::size_t telling = 16;  // pairs that no two places share by chance
  if (order.size() >= telling)
    if (expected_at(near) || std::ranges::any_of(hints, expected_at)) return best;
  // Of one side alone the nearer of two angles is half as far from any position.
  best_off = reading_->is_one_sided() ? 0.1 : 0.25;
  const Angles& foot = steps[0].angles;
  for (const double angle : {foot.one, foot.other}) {
    const double start = angle / slowest;
    const auto lowest = static_cast<Index>(std::max(-512.0, std::floor((-reach - start) / wave))),
               highest = static_cast<Index>(std::min(512.0, std::ceil((reach - start) / wave)));
    for (Index k = lowest; k <= highest; ++k) refine(start + static_cast<double>(k) * wave);
    if (foot.one == foot.other) break;
  }
  return best;
}

std::vector<double> RotationObservation::implied_positions(const RotationHypothesis& hypothesis,
                                                           std::size_t axis) const {
  const Implied asked{hypothesis.frequencies,
                      hypothesis.axis,
                      {hypothesis.cosine_magnitude, hypothesis.sine_magnitude},
                      axis,
                      hypothesis.reversed,
                      hypothesis.swapped};
  constexpr std::size_t kept = 64;
  for (const auto& [of, positions] : implied_)
    if (of == asked) return positions;
  if (!has_rows()) return {};
  std::vector<double> positions(rows_.size(), nan);
  const auto ask = [&](std::size_t i) {
    positions[i] = implied(hypothesis, axis, &cosine_[i * pairs_], &sine_[i * pairs_],
                           &slack_[i * pairs_], hypothesis.position(rows_[i], axis));
    return !std::isnan(positions[i]);
  };
  // Where none of a few rows turns by these frequencies at any position, the others do not either.
  constexpr std::size_t few = 12;
  bool any = rows_.size() <= few;
  for (std::size_t i = 0; i < few && !any; ++i) any = ask(i * (rows_.size() - 1) / (few - 1));
  for (std::size_t i = 0; any && i < rows_.size(); ++i)
    if (std::isnan(positions[i])) ask(i);
  if (implied_.size() == kept) implied_.pop_front();
  implied_.emplace_back(asked, positions);
  return positions;
}

std::vector<double> RotationObservation::implied_positions(const RotationHypothesis& hypothesis,
                                                           const std::vector<Index>& rows,
                                                           std::size_t axis) const {
  std::vector<double> c, s, slack, positions;
  load(rows, c, s, slack);
  double before = nan;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double meant = hypothesis.position(rows[i], axis), on = i > 0 ? positions[i - 1] : nan,
                 step = meant - before;
    const double hints[] = {std::round(on) + step, std::round(on) - step};
    positions.push_back(implied(hypothesis, axis, &c[i * pairs_], &s[i * pairs_],
                                &slack[i * pairs_], meant,
                                std::isnan(on) ? std::span<const double>{} : hints));
    before = meant;
  }
  return positions;
}

}  // namespace pe
