// powf as PyTorch's processor kernels compute it.
#pragma once

namespace pe {

/// base^exponent by the method and constants of SLEEF's powf of 1.0 ulp (Shibata & Petrogalli 2020,
/// arXiv:2001.09258) with fused multiply-add: logarithm and product in float-float, then the
/// exponential. base > 0 and normal. PyTorch uses it for whole vectors.
float sleef_powf(float base, float exponent);

}  // namespace pe
