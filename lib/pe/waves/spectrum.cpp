// Ziv's strategy for single values: double-double, and MPFR when that leaves two candidates.
#include "pe/waves/spectrum.hpp"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "pe/base/narrow.hpp"
#include "pe/waves/circle_table.hpp"
#include "pe/waves/lanes_portable.hpp"
#include "pe/waves/twofold.hpp"

namespace pe::engine {
namespace {

// cos and sin of every sector, mirrored out of the first octant.
struct Circle {
  double points[512][4];
  Circle() {
    for (int sector = 0; sector < 512; ++sector) {
      const int quarter = sector / 128, within = sector % 128;
      const double* near = octant[within <= 64 ? within : 128 - within];
      const double* c = within <= 64 ? near : near + 2;
      const double* s = within <= 64 ? near + 2 : near;
      double* point = points[sector];
      for (int part = 0; part < 2; ++part) {
        const double turned[4][2] = {
            {c[part], s[part]}, {-s[part], c[part]}, {-c[part], -s[part]}, {s[part], -c[part]}};
        point[part] = turned[quarter][0] + 0.0;
        point[2 + part] = turned[quarter][1] + 0.0;
      }
    }
  }
};

const Circle& circle() {
  static const Circle circle;
  return circle;
}

// The double nearest to high + low whose last bit is set unless it is exact: rounding it to a
// narrower format gives what rounding the exact sum would.
double to_odd(double high, double low) {
  const double sum = high + low, part = sum - high, rest = (high - (sum - part)) + (low - part);
  if (rest == 0) return sum;
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if ((rest < 0) != (sum < 0)) --bits;
  return std::bit_cast<double>(bits | 1);
}

// The odd double of an MPFR number.
double to_odd(mpfr_srcptr value) {
  const double kept = mpfr_get_d(value, MPFR_RNDZ);
  if (mpfr_cmp_d(value, kept) == 0) return kept;
  return std::copysign(std::bit_cast<double>(std::bit_cast<std::uint64_t>(kept) | 1),
                       mpfr_signbit(value) ? -1.0 : 1.0);
}

using Element = std::uint64_t;  // the pattern in the low bytes

Element rounded(double odd, DType dtype) {
  Element element = 0;
  narrow(std::span(&odd, 1), dtype, reinterpret_cast<std::byte*>(&element));
  return element;
}

Element rounded(double high, double low, DType dtype) {
  return rounded(dtype == DType::f64 ? high + low : to_odd(high, low), dtype);
}

Element rounded(mpfr_srcptr value, DType dtype) {
  return rounded(dtype == DType::f64 ? mpfr_get_d(value, MPFR_RNDN) : to_odd(value), dtype);
}

// MPFR's registers and caches of one thread.
struct Registers {
  Registers() { mpfr_inits2(512, angle, value, low, high, unit, static_cast<mpfr_ptr>(nullptr)); }
  ~Registers() {
    mpfr_clears(angle, value, low, high, unit, static_cast<mpfr_ptr>(nullptr));
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  mpfr_t angle, value, low, high, unit;
};

// Two precisions: 200 bits decide every value of an algebraic frequency; the Real carries 400, and
// a value that lies on a rounding boundary to that precision (a rational turn) is rounded as
// computed at the second.
Element settle_with_mpfr(const Spectrum& spectrum, Index pair, std::int64_t position, bool sine,
                         DType dtype) {
  thread_local Registers r;
  mpfr_srcptr theta = spectrum.frequencies[static_cast<std::size_t>(pair)].backend().data();
  for (const mpfr_prec_t precision : {200, 448}) {
    // The angle's error, 2^(e − precision') for an angle below 2^e, must stay below the value's
    // own.
    const mpfr_exp_t ahead = std::max<mpfr_exp_t>(mpfr_get_exp(theta), 0) + 64;
    mpfr_set_prec(r.angle, precision + ahead + 16);
    mpfr_set_prec(r.value, precision);
    mpfr_set_prec(r.low, precision);
    mpfr_set_prec(r.high, precision);
    mpfr_mul_si(r.angle, theta, position, MPFR_RNDN);
    if (spectrum.decimals > 0) {
      mpfr_ui_pow_ui(r.unit, 10, static_cast<unsigned long>(spectrum.decimals), MPFR_RNDN);
      mpfr_div(r.angle, r.angle, r.unit, MPFR_RNDN);
    }
    (sine ? mpfr_sin : mpfr_cos)(r.value, r.angle, MPFR_RNDN);
    mpfr_mul(r.value, r.value, spectrum.magnitude.backend().data(), MPFR_RNDN);
    // Error: two roundings of the value, and the angle's two, which near a zero of the wave
    // outweigh them.
    const mpfr_exp_t angle_error = mpfr_get_exp(r.angle) - mpfr_get_prec(r.angle) + 2;
    mpfr_mul_2si(r.unit, r.value, 3 - precision, MPFR_RNDA);
    mpfr_abs(r.unit, r.unit, MPFR_RNDA);
    mpfr_mul_2si(r.low, spectrum.magnitude.backend().data(), angle_error, MPFR_RNDA);
    mpfr_abs(r.low, r.low, MPFR_RNDA);
    mpfr_add(r.unit, r.unit, r.low, MPFR_RNDA);
    mpfr_sub(r.low, r.value, r.unit, MPFR_RNDN);
    mpfr_add(r.high, r.value, r.unit, MPFR_RNDN);
    const Element low = rounded(r.low, dtype);
    if (low == rounded(r.high, dtype)) return low;
  }
  return rounded(r.value, dtype);
}

Point<Scalar> sector_point(int sector) {
  const double* p = circle().points[sector];
  return {{p[0], p[1]}, {p[2], p[3]}};
}

}  // namespace

Spectrum::Spectrum(std::vector<Real> thetas, Real a, int places)
    : frequencies(std::move(thetas)),
      magnitude(std::move(a)),
      decimals(places),
      turns(turns_of(frequencies, places)) {
  scale[0] = to_double(magnitude);
  ordinary = std::fabs(scale[0]) > 0x1p-100 && std::fabs(scale[0]) < 0x1p100;
  scale[1] = ordinary ? to_double(magnitude - Real(scale[0])) : 0;
  bound = ordinary ? std::exp2(std::ceil(std::log2(std::fabs(scale[0])))) : 1;
  while (bound < std::fabs(scale[0])) bound *= 2;
  fastest.resize(turns.size());
  double largest = 0;
  for (std::size_t j = turns.size(); j-- > 0;)
    fastest[j] = largest = std::max(largest, turns[j].radians);
  still = pairs();
  while (still > 0 && turns[static_cast<std::size_t>(still - 1)].zero) --still;
}

void settle(const Spectrum& spectrum, Index pair, std::int64_t position, bool sine, DType dtype,
            std::byte* out, Fallbacks& fallbacks) {
  const Turn& turn = spectrum.turns[static_cast<std::size_t>(pair)];
  const auto write = [&](Element element) { std::memcpy(out, &element, size_of(dtype)); };
  if (position == 0 || turn.zero || spectrum.magnitude == 0)
    return write(
        sine || spectrum.magnitude == 0 ? 0 : rounded(spectrum.magnitude.backend().data(), dtype));

  ++fallbacks.twofold;
  if (const Residue residue = reduce(turn, 2 * position); spectrum.ordinary && !residue.coarse) {
    const Point<Scalar> point =
        point_at<Scalar>(sector_point(residue.sector), {residue.high, residue.low});
    const Twofold<Scalar> value =
        multiply<Scalar>(sine ? point.sine : point.cosine, {spectrum.scale[0], spectrum.scale[1]});
    // Relative error of the point 2^−95, of A 2^−106, of the product 2^−102; and underflow far
    // below every format but f64.
    const double error = std::fabs(value.high) * 0x1p-90 + 0x1p-960;
    const Element low = rounded(value.high, value.low - error, dtype);
    if (low == rounded(value.high, value.low + error, dtype)) return write(low);
  }
  ++fallbacks.multiprecision;
  write(settle_with_mpfr(spectrum, pair, position, sine, dtype));
}

void evaluate(const Spectrum& spectrum, const Kernels& kernels, std::int64_t half_positions,
              const double scale[2], Points out) {
  constexpr Index batch = 256;
  static_assert(batch % pair_multiple == 0);
  alignas(64) double high[batch], low[batch], sectors[4 * batch];
  const Points sector_points{sectors, batch};
  const Circle& table = circle();
  for (Index begin = 0; begin < spectrum.pairs(); begin += batch) {
    const Index count = std::min(batch, spectrum.pairs() - begin),
                padded = (count + pair_multiple - 1) / pair_multiple * pair_multiple;
    for (Index k = 0; k < padded; ++k) {
      const Residue residue = reduce(
          spectrum.turns[static_cast<std::size_t>(begin + std::min(k, count - 1))], half_positions);
      high[k] = residue.high;
      low[k] = residue.low;
      const double* point = table.points[residue.sector];
      sector_points.cosine()[k] = point[0];
      sector_points.cosine_low()[k] = point[1];
      sector_points.sine()[k] = point[2];
      sector_points.sine_low()[k] = point[3];
    }
    kernels.evaluate(padded, sector_points, high, low, scale, {out.data + begin, out.pitch});
  }
}

}  // namespace pe::engine
