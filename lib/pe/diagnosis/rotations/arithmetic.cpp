// Whose arithmetic a dump has: every dialect's turns at the rows probed.
#include "pe/dialects/arithmetic.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {
namespace {

// A dialect's turns of the rotation, times the scales that the reading carries.
struct Scaled {
  const Dialect& dialect;
  const Rotation& rotation;
  std::optional<Side> side;

  void take(double position, std::vector<float>& scales) const {
    if (!side) return;
    dialect.scales(*rotation.scale_rule, position, scales.data());
  }
  float apply(float turn, float scale) const {
    return side == Side::key ? turn / scale : turn * scale;
  }
};

// The worst over the probes; gives up beyond `limit`.
double worst_distance(const RotationObservation& observation, const Steps& steps,
                      const Scaled& scaled, double limit) {
  const std::size_t n = observation.pairs();
  const DType type = observation.dtype();
  const Spacing spacing(type);
  double worst = 0;
  if (steps.frequencies.size() != n) return INFINITY;
  if (!observation.has_rows()) {
    for (std::size_t j = 0; j < n; ++j)
      worst = std::max(
          worst, spacing.between(observation.measured()[j],
                                 rounded_once(static_cast<double>(steps.frequencies[j]), type)));
    return worst;
  }
  std::vector<float> angles(n), scales(n, 1);
  const bool as_angles = observation.reading().form == RotationReading::Form::angles;
  for (std::size_t i = 0; i < observation.rows().size() && worst <= limit; ++i) {
    const auto position = static_cast<double>(
        observation.expected().position(observation.slot(observation.rows()[i])));
    steps.angles(position, angles.data());
    scaled.take(position, scales);
    for (std::size_t j = 0; j < n; ++j) {
      const auto angle = static_cast<double>(angles[j]);
      const auto value = [&](float turned) {
        return rounded_once(static_cast<double>(scaled.apply(turned, scales[j])), type);
      };
      const double c = as_angles ? std::cos(angle) : value(steps.cosine(angles[j])),
                   s = as_angles ? std::sin(angle) : value(steps.sine(angles[j]));
      if (observation.has_cosine())
        worst = std::max(worst, spacing.between(observation.cosine(i, j), c));
      if (observation.has_sine())
        worst = std::max(worst, spacing.between(observation.sine(i, j), s));
    }
  }
  return worst;
}

}  // namespace

std::optional<Arithmetic> nearest_arithmetic(const RotationObservation& observation) {
  const Rotation* rotation = std::get_if<Rotation>(&observation.expected().effect);
  if (!rotation || !rotation->recipe || rotation->coordinates || !rotation->waves ||
      observation.reading().is_vectors())
    return {};
  std::optional<Arithmetic> best;
  for (const Dialect& dialect : all_dialects()) {
    const std::optional<Side> side = observation.reading().scales;
    if (!dialect.steps || (side && !dialect.scales)) continue;
    const double ulps = worst_distance(observation, dialect.steps(*rotation),
                                       {dialect, *rotation, side}, best ? best->ulps : INFINITY);
    const bool required =
        observation.expected().dialect && observation.expected().dialect->name == dialect.name;
    if (!best || ulps < best->ulps || (required && ulps <= best->ulps))
      best = Arithmetic{&dialect, ulps};
  }
  return best;
}

}  // namespace pe
