// Amplitudes: those that the numbers of a side allow, each rounded once to a short type.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

/// What each cosine or sine that shows it well allows an amplitude to be: rounding to the file's
/// type moved it by half of a step at most. A few thousand numbers leave a thousandth of a step.
class AmplitudeObservation {
 public:
  /// `cut`: numbers were cut off and not rounded, and so each is less than it was by a step at
  /// most.
  AmplitudeObservation(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                       bool cosines, bool sines, bool cut = false);

  /// Whether more than half of the numbers agree on one: of other turns they do not.
  bool are_known() const;
  /// The amplitudes that the most numbers allow, lowest and highest.
  std::pair<double, double> most() const { return most_; }
  Index most_count() const { return most_count_; }
  /// Whether as many numbers allow an amplitude as any other one, all but a twentieth.
  bool allow(double amplitude) const;
  /// How many numbers do.
  Index count(double amplitude) const;

 private:
  std::vector<double> lows_, highs_;  // sorted, each for itself
  std::pair<double, double> most_;
  Index most_count_ = 0;
};

/// The amplitude of a table of a short type that holds within the three roundings that an attention
/// factor may bring, and is another one all the same: fewer than nine tenths of the numbers allow
/// the factor, as it is meant, rounded or cut off, that allow this.
std::optional<double> hidden_amplitude(const RotationObservation& observation);

}  // namespace pe
