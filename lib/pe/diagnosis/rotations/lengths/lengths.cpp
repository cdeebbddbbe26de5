// Reading them.
#include "pe/diagnosis/rotations/lengths/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace pe {

std::vector<double> lengths_of(const Stored& array, const RotationReading& reading, Index first,
                               Index end, double magnitude, double rest) {
  const Index width = reading.width, block = std::max<Index>(1, (Index{1} << 16) / width);
  std::vector<double> lengths, values, weights;
  for (Index k = 0; k < width; ++k) weights.push_back(turns(reading, k) ? magnitude : rest);
  for (; first < end; first += block) {
    const Index count = std::min(block, end - first);
    values.resize(static_cast<std::size_t>(count * width));
    array.read(first * width, count * width, values.data());
    for (auto at = values.begin(); at != values.end(); at += width) {
      std::transform(weights.begin(), weights.end(), at, at, std::multiplies<>());
      lengths.push_back(std::sqrt(std::inner_product(at, at + width, at, 0.0)));
    }
  }
  return lengths;
}

Lengths::Lengths(Kept<Dump> dump, Kept<RotationReading> reading, double magnitude)
    : dump_(dump),
      reading_(reading),
      magnitude_(magnitude),
      before_(lengths_of(dump_.before[0], reading_, 0, reading_.rows, magnitude)),
      after_(lengths_of(dump_.arrays[0], reading_, 0, reading_.rows)),
      near_(4 * std::max({unit_roundoff(dump_.arrays[0].dtype),
                          unit_roundoff(dump_.before[0].dtype), unit_roundoff(DType::f32)})) {}

bool Lengths::are_equal(double a, double b) const {
  return std::fabs(a - b) <= near_ * std::max(a, b);
}

bool Lengths::are_kept() const {
  for (std::size_t i = 0; i < after_.size(); ++i)
    if (!are_equal(after_[i], before_[i])) return false;
  return true;
}

}  // namespace pe
