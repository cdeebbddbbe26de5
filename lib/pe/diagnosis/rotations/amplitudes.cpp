// The amplitude that most intervals hold.
#include "pe/diagnosis/rotations/amplitudes.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/ulp.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {

AmplitudeObservation::AmplitudeObservation(const RotationObservation& observation,
                                           const RotationHypothesis& hypothesis, bool cosines,
                                           bool sines, bool cut) {
  const double unit = observation.grain();
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double angle =
          position_of(hypothesis, observation.rows()[i], j) * hypothesis.frequencies[j];
      const auto add = [&](double got, double want) {
        const double slack = observation.slack(i, j),
                     half = observation.has_values() ? slack + half_step(got, unit) : slack;
        if (!(std::fabs(want) > 0.5) || !std::isfinite(half) || !(std::fabs(got) > 0)) return;
        // What is cut off was rounded to float32 before.
        lows_.push_back(got / want - (cut ? 0x1p-22 : half) / std::fabs(want));
        highs_.push_back(got / want + (cut ? 2 : 1) * half / std::fabs(want));
      };
      if (cosines) add(observation.cosine(i, j), std::cos(angle));
      if (sines) add(observation.sine(i, j), std::sin(hypothesis.reversed ? -angle : angle));
    }
  if (lows_.empty()) return;
  // Where not even half of them lie within two steps of the middle one, none is agreed on.
  std::vector<double> middles(lows_.size());
  for (std::size_t i = 0; i < lows_.size(); ++i) middles[i] = (lows_[i] + highs_[i]) / 2;
  const double middle = median_of(middles);
  Index near = 0;
  for (std::size_t i = 0; i < lows_.size(); ++i)
    near += std::fabs(middles[i] - middle) <= highs_[i] - lows_[i];
  if (2 * near < std::ssize(lows_)) {
    lows_.clear();
    highs_.clear();
    return;
  }
  std::ranges::sort(lows_);
  std::ranges::sort(highs_);
  // Depth rises at a low end and falls behind a high one.
  std::size_t ended = 0;
  for (std::size_t begun = 0; begun < lows_.size(); ++begun) {
    while (highs_[ended] < lows_[begun]) ++ended;
    const auto depth = static_cast<Index>(begun + 1 - ended);
    if (depth <= most_count_) continue;
    most_count_ = depth;
    most_ = {lows_[begun], highs_[ended]};
  }
}

bool AmplitudeObservation::are_known() const {
  return most_count_ > 0 && 2 * most_count_ > std::ssize(lows_);
}

Index AmplitudeObservation::count(double amplitude) const {
  const auto begun = std::ranges::upper_bound(lows_, amplitude) - lows_.begin(),
             ended = std::ranges::lower_bound(highs_, amplitude) - highs_.begin();
  return begun - ended;
}

bool AmplitudeObservation::allow(double amplitude) const {
  return 20 * count(amplitude) >= 19 * most_count_;
}

std::optional<double> hidden_amplitude(const RotationObservation& observation) {
  const double meant = observation.truth().magnitude;
  const DType type = observation.dtype();
  if (meant == 1 || size_of(type) != 2 || !observation.has_values() ||
      observation.truth().log_scale || observation.reading().is_one_sided())
    return {};
  constexpr Index least = 256;
  const RotationHypothesis start = observation.start();
  const AmplitudeObservation rounded(observation, start, true, true),
      cut(observation, start, true, true, true);
  const auto is_one_of_many = [&](Index count) { return 10 * count >= 9 * rounded.most_count(); };
  if (!rounded.are_known() || rounded.most_count() < least ||
      is_one_of_many(rounded.count(meant)) || is_one_of_many(cut.count(meant)) ||
      is_one_of_many(rounded.count(rounded_once(meant, type))))
    return {};
  const auto [low, high] = rounded.most();
  return tidiest_between(low, high).value;
}

}  // namespace pe
