// What rotations of several axes, and of queries and keys that are scaled apart, add to the laws of
// rotations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {

Turns turns_of(const Rotation& rotation, const PositionRange& positions, DType dtype) {
  const auto count = static_cast<std::size_t>(positions.count * rotation.pairs);
  std::vector<std::byte> bytes(2 * count * size_of(dtype));
  rotation.fill(positions, dtype, bytes.data(), bytes.data() + count * size_of(dtype));
  std::vector<double> values(2 * count);
  widen(bytes.data(), dtype, values);
  Turns turns(count);
  for (std::size_t i = 0; i < count; ++i) turns[i] = {values[i], values[count + i]};
  return turns;
}

// The axis that each pair turns along; 0 for all where positions are numbers.
std::vector<std::size_t> axes_of(const Rotation& rotation) {
  std::vector<std::size_t> axes(static_cast<std::size_t>(rotation.pairs), 0);
  for (const WavePart& part : rotation.parts)
    for (Index k = 0; k < part.waves.pairs(); ++k)
      axes[static_cast<std::size_t>(part.layout.sine->offset + k * part.layout.sine->step)] =
          part.axis;
  return axes;
}

// Several axes: the products of pairs of positions, gathered by how far apart they stand along the
// pair's own axis. The pairs tried are those of the usual offsets of flat positions.
Spread spread_along_axes(const Rotation& rotation, const Case& subject) {
  Spread spread;
  const Index n = rotation.pairs, count = std::min<Index>(subject.positions.count, 4096);
  const Turns turns = turns_of(rotation, subject.positions.slice(0, count), subject.dtype);
  struct Range {
    double low = HUGE_VAL, high = -HUGE_VAL;
  };
  for (const WavePart& part : rotation.parts)
    for (Index k = 0; k < part.waves.pairs(); ++k) {
      const Index pair = part.layout.sine->offset + k * part.layout.sine->step;
      std::map<std::int64_t, std::array<Range, 2>> ranges;
      for (const std::int64_t shift : shifts_of(subject))
        for (Index i = 0; i + shift < count; ++i) {
          const std::int64_t apart =
              rotation.coordinates->at(subject.positions.at(i + shift), part.axis) -
              rotation.coordinates->at(subject.positions.at(i), part.axis);
          const std::complex<double> product =
              std::conj(turns[static_cast<std::size_t>(i * n + pair)]) *
              turns[static_cast<std::size_t>((i + shift) * n + pair)];
          auto& range = ranges[apart];
          for (const std::size_t side : {0u, 1u}) {
            const double value = side ? product.imag() : product.real();
            range[side] = {std::min(range[side].low, value), std::max(range[side].high, value)};
          }
        }
      for (const auto& [apart, sides] : ranges)
        for (const Range& range : sides)
          if ((range.high - range.low) / 2 > spread.worst) {
            spread.worst = (range.high - range.low) / 2;
            spread.witness =
                fmt::format("pair {}, {} apart along {}: {:.9g} to {:.9g}", pair, apart,
                            rotation.coordinates->axes[part.axis], range.low, range.high);
          }
    }
  return spread;
}

// xPos: the score's pair j is multiplied by s_q(m)·s_k(n), which must be s_q(0)s_k(m−n) in
// disguise: with s_q(p) = e^{ap+b} and s_k = 1/s_q the product of the scales at m and n is that at
// m+1 and n+1. Relative deviations, each product of four roundings.
void add_scales(const Rotation& rotation, const Case& subject, Measurement& result) {
  const auto n = static_cast<std::size_t>(rotation.pairs);
  const Index count = std::min<Index>(subject.positions.count, 4096);
  std::vector<double> query(static_cast<std::size_t>(count) * n), key(query.size());
  std::vector<std::byte> bytes(query.size() * size_of(subject.dtype));
  rotation.scale(subject.positions.slice(0, count), subject.dtype, bytes.data(), nullptr);
  widen(bytes.data(), subject.dtype, query);
  rotation.scale(subject.positions.slice(0, count), subject.dtype, nullptr, bytes.data());
  widen(bytes.data(), subject.dtype, key);
  double worst = 0;
  std::string witness;
  for (const std::int64_t shift : shifts_of(subject))
    for (std::size_t j = 0; j < n; ++j) {
      double low = HUGE_VAL, high = 0;
      for (Index i = 0; i + shift < count; ++i) {
        const double product = query[static_cast<std::size_t>(i + shift) * n + j] *
                               key[static_cast<std::size_t>(i) * n + j];
        low = std::min(low, product);
        high = std::max(high, product);
      }
      if (!(high / low - 1 > worst) || high == 0) continue;
      worst = high / low - 1;
      witness = fmt::format("scales of pair {}, offset {}: {:.9g} to {:.9g}", j, shift, low, high);
    }
  const double u = unit_roundoff(subject.dtype) * (subject.dtype == DType::f64 ? 2 : 1),
               bound = std::pow((1 + u) / (1 - u), 4) * (1 + 0x1p-51) - 1;
  if (worst <= bound && result.worst <= result.bound) {
    result.bound_from += fmt::format(
        "; scales within {:.3g} of one another, bound {:.3g}: four roundings", worst, bound);
    return;
  }
  if (worst <= bound) return;
  result.worst = worst;
  result.bound = bound;
  result.witness = witness;
  result.bound_from = "((1+u)/(1-u))^4 - 1, relative: four roundings of the scales";
}

}  // namespace pe::laws
