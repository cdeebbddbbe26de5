// Exponential, sine and cosine as MLX's processor kernels compute them.
#pragma once

namespace pe {

/// e^x by the method and constants of Cephes' exp2f (Moshier, expx2 of single/exp2f.c) of
/// x · 1.442695, that constant as short as it stands, with fused multiply-add: 9e-7 of the value at
/// x = −16, which is why its frequencies are far from the exact ones. Beyond −87 < x < 88, where
/// MLX shifts out of the exponent, the C library's.
float mlx_expf(float x);

/// Cosine and sine of an angle by the method and constants of Cephes' sinf and cosf: the angle
/// less a multiple of π/4 in three parts, a polynomial for each. 8e-8 of 1 up to 2^20 radians; from
/// 2^31 on, where MLX's integer ends, the C library's.
void mlx_sincosf(float angle, float& cosine, float& sine);

}  // namespace pe
