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
  hypothesis.scale = truth.scale;
  hypothesis.cosine_magnitude = hypothesis.sine_magnitude = truth.magnitude;
  hypothesis.position = [first = first + truth.shift, slot, coordinate = truth.coordinate](
                            Index row, std::size_t axis) {
    const auto position = static_cast<double>(first + slot(row));
    return coordinate ? coordinate(position, axis) : position;
  };
  return hypothesis;
}

ScaleAt scale_at(const RotationHypothesis& hypothesis, double position, std::size_t pair) {
  if (!hypothesis.scale || hypothesis.scale_power == 0) return {};
  const double scale = hypothesis.scale(position, pair);
  return {
      std::pow(scale, hypothesis.scale_power),
      std::fabs(hypothesis.scale_power) * (2 * std::fabs(std::log(hypothesis.scale(position, 0))) +
                                           std::fabs(std::log(scale))) +
          2};
}

double position_of(const RotationHypothesis& hypothesis, Index row, std::size_t pair) {
  const double p = hypothesis.position(row, hypothesis.axis_of(pair));
  return hypothesis.position_type ? rounded_once(p, *hypothesis.position_type) : p;
}

}  // namespace pe
