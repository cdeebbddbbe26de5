// Scales as powers of one ratio: n steps lose n·10^-120, relatively.
#include "pe/kinds/scales.hpp"

#include <span>

#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"

namespace pe {

void fill_scales(const ScaleRule& rule, Side side, const PositionRange& positions, DType dtype,
                 std::byte* out) {
  const std::size_t n = rule.ratios.size(), size = size_of(dtype);
  const Real unit = pow(Real(10), positions.decimals);
  for (std::size_t j = 0; j < n; ++j) {
    const Real up = log(rule.ratios[j]) / rule.base, rate = side == Side::query ? up : Real(-up);
    Real scale = exp(rate * (Real(positions.at(0)) / unit - rule.center));
    const Real ratio = exp(rate * positions.step / unit);
    for (Index i = 0; i < positions.count; ++i, scale *= ratio) {
      const double value = dtype == DType::f64 ? to_double(scale) : round_to_odd(to_twofold(scale));
      narrow(std::span(&value, 1), dtype, out + (static_cast<std::size_t>(i) * n + j) * size);
    }
  }
}

}  // namespace pe
