// The ramp between pairs that a scaling keeps and pairs that it divides.
#pragma once

#include <vector>

#include "pe/model/frequencies.hpp"
#include "pe/model/parameter.hpp"

namespace pe::scaling_rows {

/// Ends of a ramp, in pairs: below `low` a pair is kept, above `high` it is divided.
struct Ramp {
  Real low, high;
};

/// The pair that turns `rotations` times within `original` positions: d·ln(L/(2πn)) / (2·ln base)
/// (Peng et al. 2023, arXiv:2309.00071, eq. 17 solved for the pair).
inline Real pair_of_rotations(const Ladder& plain, const Real& original, const Real& rotations) {
  return plain.dim * log(original / (2 * real_pi() * rotations)) / (2 * log(plain.base));
}

/// What lies within 10^-100 of a whole number is that number: the logarithms are rounded at
/// 10^-120.
inline Real whole(const Real& value, bool up) {
  const Real nearest = round(value);
  if (abs(value - nearest) < Real("1e-100")) return nearest;
  return up ? ceil(value) : floor(value);
}

/// The published code's ramp (`find_correction_range`): ends rounded outwards when truncated,
/// clamped to 0 and `highest`, and never of no width.
inline Ramp index_ramp(const Ladder& plain, const Real& original, const Real& fast,
                       const Real& slow, bool truncate, const Real& highest) {
  Ramp ramp{pair_of_rotations(plain, original, fast), pair_of_rotations(plain, original, slow)};
  if (truncate) ramp = {whole(ramp.low, false), whole(ramp.high, true)};
  if (ramp.low < 0) ramp.low = 0;
  if (ramp.high > highest) ramp.high = highest;
  if (ramp.low == ramp.high) ramp.high += Real("0.001");
  return ramp;
}

inline Real clamped(const Real& share) { return share < 0 ? Real(0) : share > 1 ? Real(1) : share; }

/// The share of each pair that is divided.
inline std::vector<Real> shares(const Ramp& ramp, std::size_t pairs) {
  std::vector<Real> shares;
  for (std::size_t pair = 0; pair < pairs; ++pair)
    shares.push_back(clamped((pair - ramp.low) / (ramp.high - ramp.low)));
  return shares;
}

/// The paper's share: linear in the turns r = L·θ/2π, 0 from `fast` turns on, 1 below `slow`
/// (ibid., eq. 18).
inline std::vector<Real> rotation_shares(const Ladder& plain, const Real& original,
                                         const Real& fast, const Real& slow) {
  std::vector<Real> shares;
  for (const Real& frequency : plain.frequencies) {
    const Real turns = original * frequency / (2 * real_pi());
    shares.push_back(fast == slow ? Real(turns < slow ? 1 : 0)
                                  : 1 - clamped((turns - slow) / (fast - slow)));
  }
  return shares;
}

/// θ → (1 − share)·θ + share·θ/s.
inline void divide_shares(Ladder& ladder, const std::vector<Real>& shares, const Real& factor) {
  for (std::size_t pair = 0; pair < shares.size(); ++pair)
    ladder.frequencies[pair] *= 1 - shares[pair] + shares[pair] / factor;
}

}  // namespace pe::scaling_rows
