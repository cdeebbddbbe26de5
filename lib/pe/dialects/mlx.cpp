// MLX's steps: its kernels' functions, and the ladders that mlx-lm makes.
#include "pe/dialects/mlx.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "pe/dialects/arithmetic.hpp"

namespace pe {
namespace {

using Rule = Recipe::Rule;

float single(const Real& value) { return static_cast<float>(to_double(value)); }

// The coefficients' sum by Horner's rule, each step fused, from the highest down.
template <std::size_t N>
float polynomial(const float (&coefficients)[N], float x) {
  float sum = coefficients[0];
  for (std::size_t k = 1; k < N; ++k) sum = std::fma(sum, x, coefficients[k]);
  return sum;
}

// mlx-lm's Llama3RoPE: of `period` = base^(2j/d), the reciprocal of a frequency.
float banded(float period, const Recipe& recipe) {
  const float factor = single(recipe.factor), low = single(recipe.low),
              original = single(recipe.original), wavelength = single(2 * real_pi()) * period;
  if (wavelength > single(recipe.original / recipe.low)) return period * factor;
  if (wavelength <= single(recipe.original / recipe.high) ||
      wavelength == single(recipe.original / recipe.low))
    return period;
  const float smooth = (original / wavelength - low) / single(recipe.high - recipe.low);
  return period / ((1 - smooth) / factor + smooth);
}

// mlx-lm's YarnRoPE: the harmonic mean of the plain period and the stretched one.
float ramped(float period, std::size_t j, const Recipe& recipe) {
  const float low = single(recipe.low), width = single(recipe.high - recipe.low),
              stretched = single(recipe.factor) * period,
              kept = 1 - std::clamp((static_cast<float>(j) - low) / width, 0.0f, 1.0f);
  return stretched * period / (stretched * kept + period * (1 - kept));
}

// What mlx-lm hands to the kernel as `freqs`: periods by the C library's power.
std::vector<float> periods_of(const Recipe& recipe, std::size_t pairs) {
  std::vector<float> periods;
  for (std::size_t j = 0; j < pairs; ++j) {
    const float period =
        std::pow(single(recipe.base), static_cast<float>(2 * j) / static_cast<float>(recipe.dim));
    const bool turns = recipe.rule != Rule::live || static_cast<Index>(j) < recipe.count;
    periods.push_back(!turns                        ? HUGE_VALF
                      : recipe.rule == Rule::banded ? banded(period, recipe)
                      : recipe.rule == Rule::ramped ? ramped(period, j, recipe)
                      : recipe.rule == Rule::listed ? single(recipe.divisors[j]) * period
                                                    : single(recipe.factor) * period);
  }
  return periods;
}

// `plain` makes the kernel's own ladder; a linear scaling multiplies positions by 1/factor.
Steps mlx(const Rotation& rotation, float (*plain)(const Recipe& recipe, float j),
          Steps::Turn turn) {
  const Recipe& recipe = *rotation.recipe;
  const std::size_t pairs = rotation.waves->frequencies().size();
  const bool is_divided = recipe.rule == Rule::divided;
  const float scale = is_divided ? single(1 / recipe.factor) : 1;
  std::vector<float> f;
  if (recipe.rule == Rule::given)
    for (const Real& frequency : rotation.waves->frequencies()) f.push_back(single(frequency));
  else if (recipe.rule == Rule::plain || is_divided)
    for (std::size_t j = 0; j < pairs; ++j) f.push_back(plain(recipe, static_cast<float>(j)));
  else
    for (const float period : periods_of(recipe, pairs)) f.push_back(1 / period);
  Steps steps{.frequencies = {},
              .magnitude = single(rotation.waves->magnitude()),
              .angles =
                  [f, scale](double position, float* angles) {
                    const float p = static_cast<float>(position) * scale;
                    for (std::size_t j = 0; j < f.size(); ++j) angles[j] = p * f[j];
                  },
              .turn = turn};
  steps.frequencies.resize(pairs);
  steps.angles(1, steps.frequencies.data());
  return steps;
}

float exponential(const Recipe& recipe, float j) {
  return mlx_expf(-j * (std::log(single(recipe.base)) / (static_cast<float>(recipe.dim) / 2)));
}

float binary_exponential(const Recipe& recipe, float j) {
  return std::exp2(-(j / (static_cast<float>(recipe.dim) / 2)) * std::log2(single(recipe.base)));
}

}  // namespace

float mlx_expf(float x) {
  if (!(x > -87 && x < 88)) return std::exp(x);
  const float y = x * 1.442695f, whole = std::floor(y + 0.5f);
  constexpr float coefficients[] = {1.535336188319500e-4f,
                                    1.339887440266574e-3f,
                                    9.618437357674640e-3f,
                                    5.550332471162809e-2f,
                                    2.402264791363012e-1f,
                                    6.931472028550421e-1f,
                                    1};
  return std::ldexp(1.0f, static_cast<int>(whole)) * polynomial(coefficients, y - whole);
}

void mlx_sincosf(float angle, float& cosine, float& sine) {
  const float size = std::fabs(angle);
  if (!(size < 0x1p31f)) {
    cosine = std::cos(angle);
    sine = std::sin(angle);
    return;
  }
  // the nearest even multiple of π/4, and which of the two polynomials it leads to
  const std::uint32_t octant =
      (static_cast<std::uint32_t>(size * 1.27323954473516f) + 1) & ~std::uint32_t{1};
  const auto multiple = static_cast<float>(octant);
  float x = size;
  for (const float part : {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f})
    x = std::fma(multiple, part, x);
  const float z = x * x;
  constexpr float even[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f},
                  odd[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  const float level = std::fma(z, -0.5f, polynomial(even, z) * z * z) + 1,
              slope = std::fma(x, polynomial(odd, z) * z, x);
  const bool swaps = octant & 2;
  sine = (swaps ? level : slope) * (((octant & 4) != 0) != (angle < 0) ? -1.0f : 1.0f);
  cosine = (swaps ? slope : level) * ((octant - 2) & 4 ? 1.0f : -1.0f);
}

Steps mlx_cpu(const Rotation& rotation) { return mlx(rotation, &exponential, &mlx_sincosf); }

Steps mlx_metal(const Rotation& rotation) { return mlx(rotation, &binary_exponential, nullptr); }

}  // namespace pe
