// How codebases step from a recipe to angles: which step in which type, in which order.
#pragma once

#include <functional>
#include <vector>

#include "pe/kinds/rotation.hpp"

namespace pe {

/// A rotation as one codebase evaluates it. Angles are float32; cos and sin of them are rounded
/// once, or made by `turn`, then multiplied by the magnitude in float32.
struct Steps {
  using Turn = void (*)(float angle, float& cosine, float& sine);
  std::vector<float> frequencies;  // radians per position, as the codebase holds or would hold them
  float magnitude = 1;
  /// The angles of one position, one for each pair.
  std::function<void(double position, float* angles)> angles;
  /// Cosine and sine of an angle, where the codebase's own are known; null: correctly rounded.
  Turn turn = nullptr;

  float cosine(float angle) const;
  float sine(float angle) const;
};

/// base^e for each exponent in float32, as PyTorch fills a tensor with vectors of `lanes` floats:
/// SLEEF for runs of 2·lanes, the C library's powf for the rest; `lanes` 0: powf alone.
std::vector<float> torch_powers(float base, const std::vector<float>& exponents, int lanes);

/// PyTorch on a processor with vectors of `lanes` floats: base^(2j/d) in float32 by SLEEF for runs
/// of 2·lanes, by the C library's powf for the rest; 1/x; the scaling's steps in float32 as
/// transformers has them; angle = float32(p)·f rounded once. `lanes` 0: powf alone.
Steps torch_steps(const Rotation& rotation, int lanes);
Steps torch_avx512(const Rotation& rotation);
Steps torch_avx2(const Rotation& rotation);
Steps torch_scalar(const Rotation& rotation);
/// The same, but a linear scaling divides positions, not frequencies (vLLM, SGLang).
Steps torch_divided_positions(const Rotation& rotation);
/// The same, but it multiplies positions by float32(1/factor) (Transformer Engine, Megatron).
Steps torch_multiplied_positions(const Rotation& rotation);
/// The same, but it divides angles (x-transformers).
Steps torch_divided_angles(const Rotation& rotation);
/// PyTorch under Keras: base^(−2j/d) at once, with no reciprocal; yarn as torch_avx512.
Steps keras_torch(const Rotation& rotation);

/// xPos in PyTorch, ζ and the exponent in float32 (flash-attention).
void torch_scales(const ScaleRule& scale_rule, double position, float* scales);

/// ggml: frequencies never stand anywhere. Processor: θ starts at the position and is multiplied by
/// powf(base, −2/d) from pair to pair.
Steps ggml_cpu(const Rotation& rotation);
/// position · powf(powf(base, −2/d), j).
Steps ggml_cuda(const Rotation& rotation);
/// position · pow(base, −2j/d).
Steps ggml_metal(const Rotation& rotation);

/// NumPy: the power in double, then float32, then the reciprocal, as TensorRT-LLM has it.
Steps numpy_steps(const Rotation& rotation);

/// MLX. A plain ladder is the kernel's own: exp2(−(j/n)·log2 base) on Metal (exp2 rounded once
/// here), exp(−j·(ln base/n)) on a processor, with MLX's own exp, sine and cosine. Of a scaling
/// mlx-lm hands periods to the kernel, base ** (2j/d) bent in float32; linear: positions times
/// float32(1/factor).
Steps mlx_metal(const Rotation& rotation);
Steps mlx_cpu(const Rotation& rotation);

/// pow(1/base, 2j/d) as FlashInfer has it, its fast intrinsics rounded once here.
Steps flashinfer(const Rotation& rotation);

}  // namespace pe
