// Measured frequencies: radians per position of each pair, from the rows that were probed.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace pe {

class RotationObservation;
struct RotationHypothesis;

struct MeasuredFrequencies {
  std::vector<double> values;  // NaN where unknown
  std::vector<double> errors;  // their bounds, where float32 arithmetic made the angles
  double amplitude = 0;        // of one side alone; 0 where nothing shows it
};

/// From phases, unwrapped at distances 1, 2, 4, …; of one side alone from three rows at equal
/// distances, x(p − d) + x(p + d) = 2 cos(dθ)·x(p), which asks for neither phase nor amplitude, and
/// then, where the rows stand where they are meant to, from the rows themselves. Cosines alone tell
/// no sign.
/// Of rows alone that stand no farther out than `farthest`. Of several axes, by the places of
/// `hypothesis`, and the axis that it gives each pair.
MeasuredFrequencies measured_frequencies(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis,
                                         double farthest = std::numeric_limits<double>::infinity());

/// The frequency by which one pair turns, made sharper by rows farther and farther out, and then by
/// all of them; the error is ten times the standard error of that fit,
/// for roundings of slow turns go together.
struct FrequencyFit {
  double value, error;
};
FrequencyFit sharpened(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                       std::size_t pair, double frequency);

}  // namespace pe
