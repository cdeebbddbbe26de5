// Scales: what xPos multiplies turned pairs by, up on queries and down on keys.
#pragma once

#include <cstdint>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"
#include "pe/model/position.hpp"

namespace pe {

enum class Side { query, key };

/// s_j(p) = ζ_j^((p − c)/B) on queries and its reciprocal on keys (Sun et al. 2022, eq. 10, with
/// the scale base that its figure and torchscale's xpos_relative_position.py use).
struct ScaleRule {
  std::vector<Real> ratios;  // ζ_j
  Real base = 512;           // B, positions
  std::int64_t center = 0;   // c, the position whose scale is 1
};

/// The scales of one side, [position, pair], rounded once to the dtype (f64: within 1 ulp).
void fill_scales(const ScaleRule& scale_rule, Side side, const PositionRange& positions,
                 DType dtype, std::byte* out);

}  // namespace pe
