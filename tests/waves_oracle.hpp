// The waves by MPFR alone, with frequencies and arithmetic of its own: what the engine is held
// against.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "pe/base/narrow.hpp"
#include "pe/waves/waves.hpp"

namespace oracle {

/// One MPFR number with its own precision.
struct Number {
  explicit Number(mpfr_prec_t precision = 320) { mpfr_init2(value, precision); }
  Number(const Number& other) {
    mpfr_init2(value, mpfr_get_prec(other.value));
    mpfr_set(value, other.value, MPFR_RNDN);
  }
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
  mpfr_t value;
};

/// The element of `dtype` nearest to value (ties to even), as its pattern: the value is cut to a
/// double whose last bit says whether anything was cut off, so that one rounding follows.
inline std::uint64_t nearest(mpfr_srcptr value, pe::DType dtype) {
  double x = mpfr_get_d(value, dtype == pe::DType::f64 ? MPFR_RNDN : MPFR_RNDZ);
  if (dtype != pe::DType::f64 && mpfr_cmp_d(value, x) != 0) {
    x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(std::fabs(x)) | 1);
    if (mpfr_signbit(value)) x = -x;
  }
  if (mpfr_zero_p(value)) x = 0;
  std::uint64_t pattern = 0;
  pe::narrow(std::span(&x, 1), dtype, reinterpret_cast<std::byte*>(&pattern));
  return pattern;
}

/// A·cos and A·sin of p·base^(−2j/dim), frequencies by one mpfr_pow each at 320 bits.
class Waves {
 public:
  Waves(const char* base, int dim, const char* magnitude = "1")
      : frequencies_(static_cast<std::size_t>(dim / 2)) {
    mpfr_set_str(magnitude_.value, magnitude, 10, MPFR_RNDN);
    Number power, exponent;
    mpfr_set_str(power.value, base, 10, MPFR_RNDN);
    for (int j = 0; j < dim / 2; ++j) {
      mpfr_set_si(exponent.value, -2 * j, MPFR_RNDN);
      mpfr_div_si(exponent.value, exponent.value, dim, MPFR_RNDN);
      mpfr_pow(frequencies_[static_cast<std::size_t>(j)].value, power.value, exponent.value,
               MPFR_RNDN);
    }
  }
  /// Given frequencies, taken as they are.
  explicit Waves(const std::vector<pe::Real>& frequencies)
      : frequencies_(frequencies.size(), Number(1200)) {
    mpfr_set_ui(magnitude_.value, 1, MPFR_RNDN);
    for (std::size_t j = 0; j < frequencies.size(); ++j)
      mpfr_set(frequencies_[j].value, frequencies[j].backend().data(), MPFR_RNDN);
  }

  /// The pattern at position/10^decimals.
  std::uint64_t operator()(int pair, std::int64_t position, bool sine, pe::DType dtype,
                           int decimals = 0) const {
    mpfr_srcptr theta = frequencies_[static_cast<std::size_t>(pair)].value;
    const mpfr_exp_t ahead = mpfr_zero_p(theta) ? 0 : std::max<mpfr_exp_t>(mpfr_get_exp(theta), 0);
    Number angle(420 + ahead), unit(420), value(256);
    mpfr_mul_si(angle.value, theta, position, MPFR_RNDN);
    mpfr_ui_pow_ui(unit.value, 10, static_cast<unsigned long>(decimals), MPFR_RNDN);
    mpfr_div(angle.value, angle.value, unit.value, MPFR_RNDN);
    (sine ? mpfr_sin : mpfr_cos)(value.value, angle.value, MPFR_RNDN);
    mpfr_mul(value.value, value.value, magnitude_.value, MPFR_RNDN);
    return nearest(value.value, dtype);
  }

  /// Both sides at once, to the precision of the results (|position| ≤ 2^53, |θ| ≤ 1).
  void both(int pair, std::int64_t position, Number& sine, Number& cosine) const {
    Number angle(mpfr_get_prec(sine.value) + 64);
    mpfr_mul_si(angle.value, frequencies_[static_cast<std::size_t>(pair)].value, position,
                MPFR_RNDN);
    mpfr_sin_cos(sine.value, cosine.value, angle.value, MPFR_RNDN);
    mpfr_mul(sine.value, sine.value, magnitude_.value, MPFR_RNDN);
    mpfr_mul(cosine.value, cosine.value, magnitude_.value, MPFR_RNDN);
  }

 private:
  std::vector<Number> frequencies_;
  Number magnitude_;
};

/// The same frequencies for the engine.
inline std::vector<pe::Real> ladder(const char* base, int dim) {
  std::vector<pe::Real> frequencies;
  for (int j = 0; j < dim / 2; ++j)
    frequencies.push_back(pow(pe::Real(base), pe::Real(-2 * j) / dim));
  return frequencies;
}

inline std::uint64_t element(const std::byte* bytes, pe::Index index, pe::DType dtype) {
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, bytes + static_cast<std::size_t>(index) * pe::size_of(dtype),
              pe::size_of(dtype));
  return pattern;
}

}  // namespace oracle
