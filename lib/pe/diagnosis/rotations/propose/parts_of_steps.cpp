// Offsets from the places that rows imply, and from their turns themselves.
#include "pe/diagnosis/rotations/propose/parts_of_steps.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/base/median.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {

double nearest_half(double x) { return std::round(2 * x) / 2; }

double part_of_places(const std::vector<ProbeSpot>& all) {
  constexpr double sharp = 1e-4;
  std::vector<double> off;
  for (const ProbeSpot& one : all) off.push_back(one.implied - one.meant);
  if (off.size() < 8) return 0;
  const double k = to_digits(median_of(off), 3);
  const auto near = std::ranges::count_if(off, [&](double x) { return std::fabs(x - k) < sharp; });
  return 10 * near >= 9 * std::ssize(off) && nearest_half(k) != k && std::fabs(k) > sharp ? k : 0;
}

double part_of_turns(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  constexpr int steps = 3;
  constexpr double of_chance = 8, likely = 3, farthest = 0.3;
  const double grain = observation.grain();
  if (grain < short_unit || !observation.has_amplitude() || !observation.has_cosine() ||
      !observation.has_sine() || hypothesis.swapped || !hypothesis.axis.empty() ||
      !hypothesis.position || hypothesis.frequencies.size() != observation.pairs())
    return 0;
  double k = 0, error = HUGE_VAL;
  for (int step = 0; step < steps; ++step) {
    double along = 0, square = 0, left = 0;
    Index count = 0;
    for (std::size_t i = 0; i < observation.rows().size(); ++i) {
      const double place = hypothesis.position(observation.rows()[i], 0) + k;
      for (std::size_t j = 0; j < observation.pairs(); ++j) {
        const double f = hypothesis.frequencies[j], slack = observation.slack(i, j);
        if (!std::isfinite(slack)) continue;
        const double moves = hypothesis.reversed ? -f : f, sharp = 1 / (grain + slack),
                     off = observation.sine(i, j) * std::cos(place * moves) -
                           observation.cosine(i, j) * std::sin(place * moves);
        const double slope = observation.amplitude() * moves;  // of what is off, by the offset
        if (!std::isfinite(off)) continue;
        along += off * slope * sharp * sharp;
        square += slope * slope * sharp * sharp;
        left += off * off * sharp * sharp;
        ++count;
      }
    }
    if (!(square > 0) || count < 64) return 0;
    k += along / square;
    error = std::sqrt(left / static_cast<double>(count) / square);
    if (!(std::fabs(k) < farthest)) return 0;
  }
  if (!(std::fabs(k) > of_chance * error)) return 0;
  const double size = std::fabs(k);
  return std::copysign(tidiest_between(size - likely * error, size + likely * error).value, k);
}

}  // namespace pe
