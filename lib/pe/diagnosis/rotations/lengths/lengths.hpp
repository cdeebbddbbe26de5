// Lengths of all vectors before and after.
#pragma once

#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// Of the vectors first … end−1, the channels that turn times a magnitude, the others times `rest`.
std::vector<double> lengths_of(const Stored& array, const RotationReading& reading, Index first,
                               Index end, double magnitude = 1, double rest = 1);

/// Of one array before and one after. Those before are as they are to be afterwards: the channels
/// that turn times `magnitude`.
class Lengths {
 public:
  Lengths(Kept<Dump> dump, Kept<RotationReading> reading, double magnitude);

  const Dump& dump() const { return dump_; }
  const RotationReading& reading() const { return reading_; }
  double magnitude() const { return magnitude_; }
  const std::vector<double>& before() const { return before_; }
  const std::vector<double>& after() const { return after_; }

  /// To what two lengths are compared, of the longer one: 4 roundings.
  double near() const { return near_; }
  bool are_equal(double a, double b) const;
  /// Every vector is as long as it is to be.
  bool are_kept() const;

 private:
  const Dump& dump_;
  const RotationReading& reading_;
  double magnitude_;
  std::vector<double> before_, after_;
  double near_;
};

}  // namespace pe
