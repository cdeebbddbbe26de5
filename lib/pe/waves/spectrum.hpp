// The frequencies and the magnitude as the engine uses them, and single values of them settled
// exactly.
#pragma once

#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"
#include "pe/waves/strip.hpp"
#include "pe/waves/turns.hpp"
#include "pe/waves/waves.hpp"

namespace pe::engine {

/// θ_j and A, the positions counting in units of 10^−decimals.
struct Spectrum {
  Spectrum(std::vector<Real> frequencies, Real magnitude, int decimals);

  std::vector<Real> frequencies;
  Real magnitude;
  int decimals;
  std::vector<Turn> turns;
  double scale[2];  // A as high + low
  double bound;     // a power of two, |A| ≤ bound ≤ 2|A|
  bool ordinary;    // 2^−100 < |A| < 2^100: no product leaves the range of the quick test
  std::vector<double> fastest;  // the largest |θ_k| of k ≥ j
  Index still;                  // the frequencies from here on are zero

  Index pairs() const { return static_cast<Index>(turns.size()); }
};

/// A·cos or A·sin of (position/10^decimals)·θ_pair, rounded to nearest even, written at `out`.
void settle(const Spectrum& spectrum, Index pair, std::int64_t position, bool sine, DType dtype,
            std::byte* out, Fallbacks& fallbacks);

/// scale·(cos, sin) of half_positions/2 for all pairs, relative error below 2^−95; the padding
/// repeats the last pair.
void evaluate(const Spectrum& spectrum, const Kernels& kernels, std::int64_t half_positions,
              const double scale[2], Points out);

}  // namespace pe::engine
