// The ramp between pairs that a scaling keeps and pairs that it divides.
#pragma once

#include <vector>

#include "pe/scalings/values.hpp"

namespace pe::scaling_rows {

/// Ends of a ramp, in pairs: below `low` a pair is kept, above `high` it is divided.
template <typename Number>
struct Ramp {
  Number low, high;
};

/// The pair that turns `rotations` times within `original` positions: d·ln(L/(2πn)) / (2·ln base)
/// (Peng et al. 2023, arXiv:2309.00071, eq. 17 solved for the pair).
template <typename Number>
Number pair_of_rotations(const BasicLadder<Number>& plain,
                         const std::type_identity_t<Number>& original,
                         const std::type_identity_t<Number>& rotations) {
  using std::log;
  return static_cast<Number>(plain.dim) *
         log(Number(original / (2 * pi_of<Number>() * rotations))) / (2 * log(plain.base));
}

/// What lies within the roundings of the logarithms of a whole number is that number: 10^-100 of
/// 120 digits, 10^-11 of a double's 16.
template <typename Number>
Number whole(const Number& value, bool up) {
  using std::abs;
  using std::ceil;
  using std::floor;
  using std::round;
  static const Number near = std::is_same_v<Number, Real> ? Number(Real("1e-100")) : Number(1e-11);
  const Number nearest = round(value);
  if (abs(Number(value - nearest)) < near) return nearest;
  return up ? Number(ceil(value)) : Number(floor(value));
}

/// Upper limit of an index ramp by the name of its clamp.
template <typename Number>
Number ramp_limit(const std::string& clamp, const BasicLadder<Number>& plain) {
  return clamp == "dim"     ? Number(plain.dim - 1)
         : clamp == "pairs" ? Number(plain.frequencies.size() - 1)
                            : Number(1e30);
}

/// The published code's ramp (`find_correction_range`): ends rounded outwards when truncated,
/// clamped to 0 and `highest`, and never of no width.
template <typename Number>
Ramp<Number> index_ramp(const BasicLadder<Number>& plain, const Number& original,
                        const Number& fast, const Number& slow, bool truncate,
                        const Number& highest) {
  Ramp<Number> ramp{pair_of_rotations(plain, original, fast),
                    pair_of_rotations(plain, original, slow)};
  if (truncate) ramp = {whole(ramp.low, false), whole(ramp.high, true)};
  if (ramp.low < 0) ramp.low = 0;
  if (ramp.high > highest) ramp.high = highest;
  if (ramp.low == ramp.high) {
    static const Number width =
        std::is_same_v<Number, Real> ? Number(Real("0.001")) : Number(0.001);
    ramp.high += width;
  }
  return ramp;
}

template <typename Number>
Number clamped(const Number& share) {
  return share < 0 ? Number(0) : share > 1 ? Number(1) : share;
}

/// The share of each pair that is divided.
template <typename Number>
std::vector<Number> shares(const Ramp<Number>& ramp, std::size_t pairs) {
  std::vector<Number> shares;
  for (std::size_t pair = 0; pair < pairs; ++pair)
    shares.push_back(
        clamped(Number((static_cast<Number>(pair) - ramp.low) / (ramp.high - ramp.low))));
  return shares;
}

/// The paper's share: linear in the turns r = L·θ/2π, 0 from `fast` turns on, 1 below `slow`
/// (ibid., eq. 18).
template <typename Number>
std::vector<Number> rotation_shares(const BasicLadder<Number>& plain, const Number& original,
                                    const Number& fast, const Number& slow) {
  std::vector<Number> shares;
  for (const Number& frequency : plain.frequencies) {
    const Number turns = original * frequency / (2 * pi_of<Number>());
    shares.push_back(fast == slow ? Number(turns < slow ? 1 : 0)
                                  : Number(1 - clamped(Number((turns - slow) / (fast - slow)))));
  }
  return shares;
}

/// θ → (1 − share)·θ + share·θ/s.
template <typename Number>
void divide_shares(BasicLadder<Number>& ladder, const std::vector<Number>& shares,
                   const Number& factor) {
  for (std::size_t pair = 0; pair < shares.size(); ++pair)
    ladder.frequencies[pair] *= 1 - shares[pair] + shares[pair] / factor;
}

}  // namespace pe::scaling_rows
