// Tables of A·cos(p·θ_j) and A·sin(p·θ_j): the one place that turns an angle into a value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"
#include "pe/model/position.hpp"
#include "pe/waves/isa.hpp"

namespace pe {

/// Where a row keeps one value of pair j: elements offset + j·step + c·copy_step for c < copies.
struct Place {
  Index offset = 0, step = 1;
  Index copies = 1, copy_step = 0;
};

/// A row of `width` elements; a side that is absent is not written. Elements that no place names
/// are left untouched.
struct WaveLayout {
  Index width = 0;
  std::optional<Place> sine, cosine;
};

/// How often elements needed more than the fast path.
struct Fallbacks {
  std::uint64_t rechecked =
      0;  // runs of pairs that were rounded from both ends of the error interval
  std::uint64_t twofold = 0;         // elements evaluated in double-double
  std::uint64_t multiprecision = 0;  // elements evaluated with MPFR
};

/// Frequencies θ_j in radians per position, j = 0 … pairs−1, and the magnitude A that multiplies
/// both sides.
class Waves {
 public:
  explicit Waves(std::vector<Real> frequencies, Real magnitude = 1, Isa isa = best_isa());

  Index pairs() const;
  const std::vector<Real>& frequencies() const;
  const Real& magnitude() const;

  /// One row of `layout` for each position, at out, each value rounded once to `dtype`.
  /// Thread-safe; the same bytes for every way of splitting the positions into calls. Whole
  /// positions up to 2^53 in magnitude; step may be 0 or negative. Decimal positions are exact too
  /// (the run's unit 10^−decimals is folded into the frequencies). Every f64, f32, f16 and bf16
  /// value is A·cos or A·sin rounded to nearest even, θ_j and A taken as exact; a value that lies
  /// within 2^−440 of a rounding boundary is rounded as computed. `fallbacks`, if given, is added
  /// to.
  void fill(const PositionRange& positions, const WaveLayout& layout, DType dtype, std::byte* out,
            Fallbacks* fallbacks = nullptr) const;

 private:
  struct Prepared;
  std::shared_ptr<const Prepared> prepared_;
};

}  // namespace pe
