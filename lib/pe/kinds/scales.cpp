// Scales as products in double-double of the scales of 1, 2, 4, … positions; as Reals where one
// lies too near to where rounding changes.
#include "pe/kinds/scales.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>

#include "pe/base/clones.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/kinds/scale_powers.hpp"

namespace pe {
namespace {

constexpr int bits = 26;                // of a distance from the centre; one farther is a Real
constexpr Index run = 32, most = 1024;  // rows that one seed serves, rows that are made at once

// The product with relative error below 2^-101: of the low parts' own product at most 2^-106, and
// three roundings of what is at most 2^-52 of it.
Twofold times(Twofold a, Twofold b) {
  const Twofold product = two_product(a.high, b.high);
  return two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// A value is a product of at most 26 powers and 32 ratios, each off by 2^-106: with the errors of
// as many products below 2^-95.
constexpr double error = 0x1p-95;

// Where no part of a product is beyond the normal doubles.
bool is_plain(double value) { return value > 0x1p-800 && value < 0x1p800; }

// ratio^0 … ratio^(run − 1).
using Ratios = std::array<Twofold, run>;

Ratios ratios_of(Twofold ratio) {
  Ratios ratios;
  ratios[0] = {1, 0};
  for (std::size_t i = 1; i < ratios.size(); ++i) ratios[i] = times(ratios[i - 1], ratio);
  return ratios;
}

// A power may lie in the middle of two doubles: 3.5^19 does, and what is not trusted of a Real does
// not decide which it is rounded to.
double nearest(const Real& value) {
  const Twofold parts = to_twofold(value);
  return std::isfinite(parts.high) ? parts.high + parts.low : parts.high;
}

// Values of a run, rounded to double or, for a shorter type, to odd; NaN where that is not sure.
PE_CLONES void fill_run(const Twofold& seed, const Twofold* ratios, Index count, bool to_double,
                        double* out, Index stride) {
  for (Index i = 0; i < count; ++i) {
    const Twofold value = times(seed, ratios[i]);
    const double off = error * value.high;
    const bool sure = is_plain(value.high) &&
                      (to_double ? value.high + (value.low + off) == value.high + (value.low - off)
                                 : std::fabs(value.low) > off);
    out[i * stride] = !sure       ? std::nan("")
                      : to_double ? value.high + value.low
                                  : round_to_odd(value);
  }
}

class ScalePowers {
 public:
  explicit ScalePowers(ScaleRule rule) : rule_(std::move(rule)) {}

  void fill(Side side, const PositionRange& positions, DType dtype, std::byte* out) const {
    const auto n = static_cast<Index>(rule_.ratios.size());
    // Few rows take less than the powers do.
    const bool in_runs = positions.decimals == 0 && (ready_ || positions.count > 2);
    for (Index first = 0; first < positions.count; first += most) {
      const PositionRange block = positions.slice(first, std::min(most, positions.count - first));
      std::vector<double> values(static_cast<std::size_t>(block.count * n));
      for (Index j = 0; j < n; ++j) {
        const Column column{side, j, dtype == DType::f64, &values[static_cast<std::size_t>(j)], n};
        if (in_runs)
          fill_runs(column, block);
        else
          fill_exactly(column, block);
      }
      narrow(values, dtype, out + static_cast<std::size_t>(first * n) * size_of(dtype));
    }
  }

 private:
  using Powers = std::array<Twofold, bits>;  // ζ^(2^k/B)

  // On queries; of keys and of positions before the centre by turns its reciprocal.
  struct Both {
    Powers up, down;
  };

  struct Column {
    Side side;
    Index pair;
    bool to_double;
    double* out;
    Index stride;
  };

  const std::vector<Both>& powers() const {
    std::call_once(once_, [this] {
      for (const Real& ratio : rule_.ratios) {
        Both both;
        Real up = exp(log(ratio) / rule_.base), down = 1 / up;
        for (std::size_t k = 0; k < bits; ++k, up *= up, down *= down) {
          both.up[k] = to_twofold(up);
          both.down[k] = to_twofold(down);
        }
        powers_.push_back(both);
      }
      ready_ = true;
    });
    return powers_;
  }

  void fill_runs(const Column& column, const PositionRange& positions) const {
    const Both& both = powers()[static_cast<std::size_t>(column.pair)];
    const auto along = [&](bool forwards) -> const Powers& {
      return forwards == (column.side == Side::query) ? both.up : both.down;
    };
    const Ratios ratios = ratios_of(along(positions.step > 0)[0]);
    const Index rows = std::abs(positions.step) == 1 ? run : 1;
    for (Index first = 0; first < positions.count; first += rows) {
      const PositionRange of_run = positions.slice(first, std::min(rows, positions.count - first));
      Column here = column;
      here.out += first * column.stride;
      const std::int64_t from_center = of_run.at(0) - rule_.center;
      const Twofold seed = seed_of(along(from_center > 0), std::abs(from_center));
      if (!is_plain(seed.high)) {
        fill_exactly(here, of_run);
        continue;
      }
      fill_run(seed, ratios.data(), of_run.count, here.to_double, here.out, here.stride);
      for (Index i = 0; i < of_run.count; ++i, here.out += here.stride)
        if (std::isnan(*here.out)) fill_exactly(here, of_run.slice(i, 1));
    }
  }

  static Twofold seed_of(const Powers& powers, std::int64_t distance) {
    if (distance >> bits) return {HUGE_VAL, 0};
    Twofold seed{1, 0};
    for (std::size_t k = 0; k < bits; ++k)
      if (distance >> k & 1) seed = times(seed, powers[k]);
    return seed;
  }

  // As powers of one ratio: n steps lose n·10^-120, relatively.
  void fill_exactly(const Column& column, const PositionRange& positions) const {
    const Real unit = pow(Real(10), positions.decimals),
               up = log(rule_.ratios[static_cast<std::size_t>(column.pair)]) / rule_.base,
               rate = column.side == Side::query ? up : Real(-up);
    Real scale = exp(rate * (Real(positions.at(0)) / unit - rule_.center));
    const Real ratio = positions.count > 1 ? Real(exp(rate * positions.step / unit)) : Real(1);
    for (Index i = 0; i < positions.count; ++i, scale *= ratio)
      column.out[i * column.stride] = column.to_double ? nearest(scale) : round_to_odd(scale);
  }

  ScaleRule rule_;
  mutable std::once_flag once_;
  mutable std::atomic<bool> ready_ = false;
  mutable std::vector<Both> powers_;
};

}  // namespace

std::function<void(Side, const PositionRange&, DType, std::byte* out)> scales_of(ScaleRule rule) {
  return [powers = std::make_shared<const ScalePowers>(std::move(rule))](
             Side side, const PositionRange& positions, DType dtype, std::byte* out) {
    powers->fill(side, positions, dtype, out);
  };
}

void fill_scales(const ScaleRule& rule, Side side, const PositionRange& positions, DType dtype,
                 std::byte* out) {
  ScalePowers(rule).fill(side, positions, dtype, out);
}

}  // namespace pe
