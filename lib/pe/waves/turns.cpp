// Turns: one division by 2π at set-up precision, then 64 × 320 bit products.
#include "pe/waves/turns.hpp"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace pe::engine {
namespace {

static_assert(sizeof(mp_limb_t) == 8, "turns are built from 64-bit limbs");

constexpr int tiny_below =
    75;  // |half_positions| < 2^63 turns such a frequency by less than 2^−12 of a turn

struct Float {
  explicit Float(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  ~Float() { mpfr_clear(value); }
  Float(const Float&) = delete;
  Float& operator=(const Float&) = delete;
  mpfr_t value;
};

// 1/(2π·10^decimals), and a product register, for frequencies below 2^exponent: their integer turns
// take `exponent` bits in front of the 448 that are kept behind the point.
struct Divider {
  Divider(mpfr_exp_t exponent, int decimals)
      : inverse(448 + std::max<mpfr_exp_t>(exponent, 0)),
        quotient(448 + std::max<mpfr_exp_t>(exponent, 0)) {
    mpfr_const_pi(inverse.value, MPFR_RNDN);
    mpfr_mul_2ui(inverse.value, inverse.value, 1, MPFR_RNDN);
    if (decimals > 0) {
      mpfr_ui_pow_ui(quotient.value, 10, static_cast<unsigned long>(decimals), MPFR_RNDN);
      mpfr_mul(inverse.value, inverse.value, quotient.value, MPFR_RNDN);
    }
    mpfr_ui_div(inverse.value, 1, inverse.value, MPFR_RNDN);
  }
  Float inverse, quotient;
};

// Bits [from, from + 64) of a big-endian-by-meaning number whose top limb is limbs[count − 1]; bit
// 0 is the topmost.
std::uint64_t bits_at(const mp_limb_t* limbs, long count, long from) {
  if (from <= -64) return 0;
  const auto limb = [&](long i) -> std::uint64_t {
    return i < 0 || i >= count ? 0 : limbs[count - 1 - i];
  };
  const long index = from >= 0 ? from / 64 : -1, skip = from - index * 64;
  return skip == 0 ? limb(index) : (limb(index) << skip) | (limb(index + 1) >> (64 - skip));
}

Turn turn_of(const Real& frequency, Divider& divider) {
  Turn turn;
  if (frequency == 0) return turn;
  mpfr_srcptr theta = frequency.backend().data();
  turn.zero = false;
  turn.negative = mpfr_signbit(theta) != 0;
  turn.radians = std::fabs(mpfr_get_d(theta, MPFR_RNDA));
  mpfr_ptr quotient = divider.quotient.value;
  mpfr_mul(quotient, theta, divider.inverse.value, MPFR_RNDN);
  if (mpfr_get_exp(quotient) > 0) mpfr_frac(quotient, quotient, MPFR_RNDN);
  if (mpfr_zero_p(quotient)) return turn;

  // The significand is 0.m · 2^exponent with the top bit of m set.
  const auto* limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(quotient));
  const long count = (mpfr_get_prec(quotient) + 63) / 64, zeros = -mpfr_get_exp(quotient);
  const bool tiny = zeros > tiny_below;
  turn.shift = tiny ? static_cast<int>(std::min<long>(zeros, 1 << 30)) : 0;
  for (long i = 0; i < 5; ++i)
    turn.limbs[static_cast<std::size_t>(4 - i)] =
        bits_at(limbs, count, 64 * i - (tiny ? 0 : zeros));
  return turn;
}

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace

std::vector<Turn> turns_of(const std::vector<Real>& frequencies, int decimals) {
  mpfr_exp_t exponent = 0;
  for (const Real& frequency : frequencies)
    if (frequency != 0) exponent = std::max(exponent, mpfr_get_exp(frequency.backend().data()));
  Divider divider(exponent, decimals);
  std::vector<Turn> turns;
  turns.reserve(frequencies.size());
  const double unit = std::pow(0.1, decimals) * (decimals ? 1 + 0x1p-40 : 1.0);
  for (const Real& frequency : frequencies) {
    turns.push_back(turn_of(frequency, divider));
    turns.back().radians *= unit;
  }
  return turns;
}

Residue reduce(const Turn& turn, std::int64_t half_positions) {
  __extension__ using Wide = unsigned __int128;
  bool negative = turn.negative != (half_positions < 0);
  const auto factor = half_positions < 0 ? 0 - static_cast<std::uint64_t>(half_positions)
                                         : static_cast<std::uint64_t>(half_positions);
  std::uint64_t product[6], carry = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const Wide sum = static_cast<Wide>(turn.limbs[i]) * factor + carry;
    product[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  product[5] = carry;

  Residue residue;
  std::uint64_t
      fraction[4];  // little-endian, the point above fraction[3], to be scaled by 2^exponent
  int exponent = 0;
  if (turn.shift == 0) {
    // product · 2^−321 modulo 1: the half position costs one bit.
    for (std::size_t i = 0; i < 4; ++i)
      fraction[i] = (product[i + 2] << 63) | (product[i + 1] >> 1);
    residue.sector = static_cast<int>(((fraction[3] >> 54) + 1) >> 1);
    fraction[3] -= static_cast<std::uint64_t>(residue.sector) << 55;
    if (fraction[3] >> 63) {
      negative = !negative;
      residue.sector = -residue.sector;
      std::uint64_t borrow = 1;
      for (std::uint64_t& limb : fraction) {
        limb = ~limb + borrow;
        borrow = borrow && limb == 0;
      }
    }
  } else {
    for (std::size_t i = 0; i < 4; ++i) fraction[i] = product[i + 2];
    exponent = 63 - turn.shift;
  }
  if (negative) residue.sector = -residue.sector;
  residue.sector &= 511;

  int top = 3;
  while (top >= 0 && fraction[top] == 0) --top;
  if (top < 0) {
    residue.coarse = factor != 0 && !turn.zero;
    return residue;
  }
  const int lead = std::countl_zero(fraction[top]), zeros = 64 * (3 - top) + lead;
  const auto limb = [&](int i) -> std::uint64_t { return i < 0 ? 0 : fraction[i]; };
  const auto shifted = [&](int i) {
    return lead ? (limb(i) << lead) | (limb(i - 1) >> (64 - lead)) : limb(i);
  };
  const std::uint64_t first = shifted(top), second = shifted(top - 1);
  // A tiny frequency's bits are all significant; otherwise 256 − 160 bits are the least that will
  // do.
  residue.coarse = turn.shift == 0 && zeros > 150;
  if (exponent - zeros - 106 < -900) {
    residue.coarse = true;
    return residue;
  }
  const double unit = power_of_two(exponent - zeros - 53), sign = negative ? -1.0 : 1.0;
  residue.high = sign * unit * static_cast<double>(first >> 11);
  residue.low =
      sign * unit * 0x1p-53 * static_cast<double>(((first & 2047) << 42) | (second >> 22));
  return residue;
}

}  // namespace pe::engine
