// Hypotheses over rows: where a row stands, and how far a pair has grown there.
#include "pe/diagnosis/rotations/hypothesis.hpp"

#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"

namespace pe {

RotationHypothesis hypothesis_of(const RotationTruth& truth, std::int64_t first,
                                 const std::function<Index(Index row)>& slot) {
  RotationHypothesis hypothesis;
  hypothesis.frequencies = truth.frequencies;
  hypothesis.axis = truth.axis;
  hypothesis.log_scale = truth.log_scale;
  hypothesis.cosine_magnitude = hypothesis.sine_magnitude = truth.magnitude;
  hypothesis.position = [first = first + truth.shift, slot, coordinate = truth.coordinate](
                            Index row, std::size_t axis) {
    const auto position = static_cast<double>(first + slot(row));
    return coordinate ? coordinate(position, axis) : position;
  };
  return hypothesis;
}

ScaleAt scale_at(const RotationHypothesis& hypothesis, double position, std::size_t pair) {
  if (!hypothesis.log_scale || hypothesis.scale_power == 0) return {};
  const double own = hypothesis.log_scale(position, pair),
               first = pair == 0 ? own : hypothesis.log_scale(position, 0);
  return {std::exp(hypothesis.scale_power * own),
          std::fabs(hypothesis.scale_power) * (2 * std::fabs(first) + std::fabs(own)) + 2};
}

double last_exact_position(const RotationHypothesis& hypothesis) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), eleven_bits = 2048;
  const double of_product = hypothesis.tf32 ? eleven_bits : infinity;
  if (!hypothesis.position_type) return of_product;
  return std::min(of_product, 1 / unit_roundoff(*hypothesis.position_type));
}

double rounding_of_angles(const RotationHypothesis& hypothesis) {
  double share = 0;
  for (const auto& type : {hypothesis.frequency_type, hypothesis.angle_type})
    if (type) share += unit_roundoff(*type);
  if (hypothesis.tf32) share += *hypothesis.tf32 == Tf32::cut ? 0x1p-10 : 0x1p-11;
  return share;
}

double position_of(const RotationHypothesis& hypothesis, Index row, std::size_t pair) {
  const double p = hypothesis.position(row, hypothesis.axis_of(pair));
  return hypothesis.position_type ? rounded_once(p, *hypothesis.position_type) : p;
}

}  // namespace pe
