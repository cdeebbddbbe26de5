// The steps, one codebase after the other.
#include "pe/dialects/arithmetic.hpp"

#include <algorithm>
#include <cmath>

#include "pe/dialects/sleef.hpp"

namespace pe {
namespace {

using Rule = Recipe::Rule;

float single(const Real& value) { return static_cast<float>(to_double(value)); }

std::vector<float> singles(const std::vector<Real>& values) {
  std::vector<float> rounded;
  for (const Real& value : values) rounded.push_back(single(value));
  return rounded;
}

// Angles that are one product in float32.
Steps multiplied(const Rotation& rotation, std::vector<float> frequencies) {
  Steps steps{.frequencies = std::move(frequencies),
              .magnitude = single(rotation.waves->magnitude()),
              .angles = {}};
  steps.angles = [f = steps.frequencies](double position, float* angles) {
    const auto p = static_cast<float>(position);
    for (std::size_t j = 0; j < f.size(); ++j) angles[j] = p * f[j];
  };
  return steps;
}

// base^(2j/d), exponents and power in float32.
std::vector<float> torch_powers(const Recipe& recipe, std::size_t count, int lanes) {
  std::vector<float> exponents;
  for (std::size_t j = 0; j < count; ++j)
    exponents.push_back(static_cast<float>(2 * j) / static_cast<float>(recipe.dim));
  return pe::torch_powers(single(recipe.base), exponents, lanes);
}

float clamp01(float value) { return value < 0 ? 0.0f : value > 1 ? 1.0f : value; }

// transformers' `_compute_llama3_parameters`, where number / tensor is reciprocal · number.
float banded(float f, const Recipe& recipe) {
  const float factor = single(recipe.factor), low = single(recipe.low),
              original = single(recipe.original);
  const float length = 1 / f * single(2 * real_pi());
  if (length > single(recipe.original / recipe.low)) return f / factor;
  if (length < single(recipe.original / recipe.high)) return f;
  const float smooth = (1 / length * original - low) / single(recipe.high - recipe.low);
  return (1 - smooth) * f / factor + smooth * f;
}

std::vector<float> torch_frequencies(const Rotation& rotation, int lanes) {
  const Recipe& recipe = *rotation.recipe;
  const std::size_t pairs = rotation.waves->frequencies().size();
  if (recipe.rule == Rule::given) return singles(rotation.waves->frequencies());
  const std::size_t turning =
      recipe.rule == Rule::live ? static_cast<std::size_t>(recipe.count) : pairs;
  std::vector<float> powers = torch_powers(recipe, turning, lanes), f;
  const float factor = single(recipe.factor), low = single(recipe.low),
              width = single(recipe.high - recipe.low);
  for (std::size_t j = 0; j < turning; ++j) {
    const float plain = 1 / powers[j];
    switch (recipe.rule) {
      case Rule::divided:
      case Rule::live:
        f.push_back(plain / factor);
        break;
      case Rule::ramped: {
        const float kept = 1 - clamp01((static_cast<float>(j) - low) / width),
                    divided = 1 / (factor * powers[j]);
        f.push_back(divided * (1 - kept) + plain * kept);
        break;
      }
      case Rule::banded:
        f.push_back(banded(plain, recipe));
        break;
      case Rule::listed:
        f.push_back(1 / (single(recipe.divisors[j]) * powers[j]));
        break;
      default:
        f.push_back(plain);
    }
  }
  f.resize(pairs, 0.0f);
  return f;
}

// What ggml's kernels know of a recipe: scalars for the ramp, and a divisor for each pair.
struct Knobs {
  float scale = 1, low = 0,
        high =
            0;  // scale multiplies; low < high: a ramp between the plain angle and the scaled one
  bool ramp = false;
  std::vector<float> divisors;  // llama3's and longrope's, worked out by the converter in float32
};

Knobs knobs_of(const Rotation& rotation) {
  const Recipe& recipe = *rotation.recipe;
  Knobs knobs{.divisors = std::vector<float>(rotation.waves->frequencies().size(), 1.0f)};
  if (recipe.rule == Rule::divided || recipe.rule == Rule::ramped)
    knobs.scale = 1 / single(recipe.factor);
  if (recipe.rule == Rule::ramped) {
    knobs.ramp = true;
    knobs.low = single(recipe.low);
    knobs.high = single(recipe.high);
  }
  for (std::size_t j = 0; j < knobs.divisors.size(); ++j) {
    if (recipe.rule == Rule::listed) knobs.divisors[j] = single(recipe.divisors[j]);
    if (recipe.rule == Rule::banded)
      knobs.divisors[j] = single(rotation.unscaled[j] / rotation.waves->frequencies()[j]);
    if (recipe.rule == Rule::live)
      knobs.divisors[j] =
          j < static_cast<std::size_t>(recipe.count) ? single(recipe.factor) : 1e30f;
  }
  return knobs;
}

// rope_yarn: θ/divisor, the scaled angle, and a mix of both.
float ggml_angle(const Knobs& knobs, float theta, std::size_t j) {
  const float plain = theta / knobs.divisors[j], scaled = knobs.scale * plain;
  if (!knobs.ramp) return scaled;
  const float y = (static_cast<float>(j) - knobs.low) / std::max(0.001f, knobs.high - knobs.low);
  const float mix = 1 - std::min(1.0f, std::max(0.0f, y));
  return scaled * (1 - mix) + plain * mix;
}

Steps ggml(const Rotation& rotation, std::vector<float> powers, bool iterated) {
  const Recipe& recipe = *rotation.recipe;
  if (recipe.rule == Rule::given)
    return multiplied(rotation, singles(rotation.waves->frequencies()));
  const Knobs knobs = knobs_of(rotation);
  Steps steps{.frequencies = {}, .magnitude = single(rotation.waves->magnitude()), .angles = {}};
  steps.angles = [knobs, powers, iterated](double position, float* angles) {
    const auto p = static_cast<float>(position);
    float theta = p;
    for (std::size_t j = 0; j < powers.size(); ++j) {
      angles[j] = ggml_angle(knobs, iterated ? theta : p * powers[j], j);
      if (iterated) theta *= powers[1];
    }
  };
  steps.frequencies.resize(powers.size());
  steps.angles(1, steps.frequencies.data());
  return steps;
}

// Frequencies of a ladder of its own, then the scaling's factors as transformers has them.
Steps bent(const Rotation& rotation, const std::function<float(double j)>& plain) {
  const Recipe& recipe = *rotation.recipe;
  if (recipe.rule == Rule::given)
    return multiplied(rotation, singles(rotation.waves->frequencies()));
  std::vector<float> f;
  for (std::size_t j = 0; j < rotation.waves->frequencies().size(); ++j) {
    const float value = plain(static_cast<double>(j));
    const float factor = single(recipe.factor);
    const float kept = recipe.rule == Rule::ramped
                           ? 1 - clamp01((static_cast<float>(j) - single(recipe.low)) /
                                         single(recipe.high - recipe.low))
                           : 0;
    f.push_back(recipe.rule == Rule::divided  ? value / factor
                : recipe.rule == Rule::ramped ? value / factor * (1 - kept) + value * kept
                : recipe.rule == Rule::banded ? banded(value, recipe)
                : recipe.rule == Rule::listed ? value / single(recipe.divisors[j])
                : recipe.rule == Rule::live
                    ? (static_cast<Index>(j) < recipe.count ? value / factor : 0.0f)
                    : value);
  }
  return multiplied(rotation, std::move(f));
}

}  // namespace

float Steps::cosine(float angle) const {
  float c = static_cast<float>(std::cos(static_cast<double>(angle))), s = 0;
  if (turn) turn(angle, c, s);
  return c * magnitude;
}
float Steps::sine(float angle) const {
  float s = static_cast<float>(std::sin(static_cast<double>(angle))), c = 0;
  if (turn) turn(angle, c, s);
  return s * magnitude;
}

// Powers of each base and exponent; vectors of both are SLEEF's as those of one base are.
void torch_scales(const ScaleRule& scale_rule, double position, float* scales) {
  const std::size_t n = scale_rule.ratios.size(), run = 32, vectors = n / run * run;
  const double dim = 2 * static_cast<double>(n);
  const auto low = static_cast<float>(0.4 * dim), width = static_cast<float>(1.4 * dim);
  const float power = static_cast<float>(position - static_cast<double>(scale_rule.center)) /
                      single(scale_rule.base);
  for (std::size_t j = 0; j < n; ++j) {
    const float ratio = (static_cast<float>(2 * j) + low) / width;
    scales[j] = j < vectors && power != 0 ? sleef_powf(ratio, power) : std::pow(ratio, power);
  }
}

std::vector<float> torch_powers(float base, const std::vector<float>& exponents, int lanes) {
  const std::size_t count = exponents.size(),
                    run = lanes > 0 ? 2 * static_cast<std::size_t>(lanes) : count + 1,
                    vectors = count / run * run;
  std::vector<float> powers;
  for (std::size_t j = 0; j < count; ++j)
    powers.push_back(j < vectors && exponents[j] != 0 ? sleef_powf(base, exponents[j])
                                                      : std::pow(base, exponents[j]));
  return powers;
}

Steps torch_steps(const Rotation& rotation, int lanes) {
  return multiplied(rotation, torch_frequencies(rotation, lanes));
}
Steps torch_avx512(const Rotation& rotation) { return torch_steps(rotation, 16); }
Steps torch_avx2(const Rotation& rotation) { return torch_steps(rotation, 8); }
Steps torch_scalar(const Rotation& rotation) { return torch_steps(rotation, 0); }

namespace {

// Plain frequencies; under a linear scaling `angle` makes (position, factor, frequency) an angle.
Steps stretched(const Rotation& rotation, float (*angle)(float p, float factor, float f)) {
  if (rotation.recipe->rule != Rule::divided) return torch_avx512(rotation);
  Rotation plain = rotation;
  plain.recipe->rule = Rule::plain;
  Steps steps = torch_avx512(plain);
  steps.angles = [f = steps.frequencies, factor = single(rotation.recipe->factor), angle](
                     double position, float* angles) {
    const auto p = static_cast<float>(position);
    for (std::size_t j = 0; j < f.size(); ++j) angles[j] = angle(p, factor, f[j]);
  };
  return steps;
}

}  // namespace

Steps torch_divided_positions(const Rotation& rotation) {
  return stretched(rotation, [](float p, float factor, float f) { return p / factor * f; });
}
Steps torch_multiplied_positions(const Rotation& rotation) {
  return stretched(rotation, [](float p, float factor, float f) { return p * (1 / factor) * f; });
}
Steps torch_divided_angles(const Rotation& rotation) {
  return stretched(rotation, [](float p, float factor, float f) { return p * f / factor; });
}

namespace {

// The ends of a ramp in float32, as Keras finds them.
void find_ends(Recipe& recipe) {
  const auto dim = static_cast<float>(recipe.dim);
  const auto end = [&](const Real& turns) {
    const float length = single(recipe.original) / (single(turns) * 2 * single(real_pi()));
    return dim * std::log(length) / (2 * std::log(single(recipe.base)));
  };
  if (recipe.fast <= 0 || recipe.slow <= 0) return;
  float low = end(recipe.fast), high = end(recipe.slow);
  if (recipe.whole) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0f);
  high = std::min(high, dim - 1);
  recipe.low = low;
  recipe.high = Real(low) + std::max(high - low, 0.001f);
}

}  // namespace

Steps keras_torch(const Rotation& rotation) {
  const Recipe& recipe = *rotation.recipe;
  if (recipe.rule == Rule::ramped) {
    Rotation ramped = rotation;
    find_ends(*ramped.recipe);
    return torch_avx512(ramped);
  }
  if (recipe.rule != Rule::plain && recipe.rule != Rule::divided) return torch_avx512(rotation);
  std::vector<float> exponents;
  for (std::size_t j = 0; j < rotation.waves->frequencies().size(); ++j)
    exponents.push_back(-(static_cast<float>(2 * j) / static_cast<float>(recipe.dim)));
  std::vector<float> f = torch_powers(single(recipe.base), exponents, 16);
  if (recipe.rule == Rule::divided)
    for (float& frequency : f) frequency /= single(recipe.factor);
  return multiplied(rotation, std::move(f));
}

Steps ggml_cpu(const Rotation& rotation) {
  const float scale =
      std::pow(single(rotation.recipe->base), -2.0f / static_cast<float>(rotation.recipe->dim));
  return ggml(rotation, std::vector<float>(rotation.waves->frequencies().size(), scale), true);
}

Steps ggml_cuda(const Rotation& rotation) {
  const float scale =
      std::pow(single(rotation.recipe->base), -2.0f / static_cast<float>(rotation.recipe->dim));
  std::vector<float> powers;
  for (std::size_t j = 0; j < rotation.waves->frequencies().size(); ++j)
    powers.push_back(std::pow(scale, static_cast<float>(j)));
  return ggml(rotation, std::move(powers), false);
}

Steps ggml_metal(const Rotation& rotation) {
  const float inverse = -1.0f / static_cast<float>(rotation.recipe->dim),
              base = single(rotation.recipe->base);
  std::vector<float> powers;
  for (std::size_t j = 0; j < rotation.waves->frequencies().size(); ++j)
    powers.push_back(std::pow(base, inverse * static_cast<float>(2 * j)));
  return ggml(rotation, std::move(powers), false);
}

namespace {

// TensorRT-LLM's apply_llama3_scaling.
float numpy_banded(float f, const Recipe& recipe) {
  const float factor = single(recipe.factor), low = single(recipe.low),
              length = single(2 * real_pi()) / f;
  if (length < single(recipe.original / recipe.high)) return f;
  if (length > single(recipe.original / recipe.low)) return f / factor;
  const float smooth = (single(recipe.original) / length - low) / single(recipe.high - recipe.low);
  return (1 - smooth) * f / factor + smooth * f;
}

}  // namespace

// NumPy 2 keeps float32 beside Python's numbers. A linear scaling is one division, llama3's lengths
// are 2π over the frequency, and longrope's power is one of float32.
Steps numpy_steps(const Rotation& rotation) {
  const Recipe& recipe = *rotation.recipe;
  if (recipe.rule == Rule::ramped) return torch_avx512(rotation);  // yarn's are PyTorch's
  const double base = to_double(recipe.base), dim = static_cast<double>(recipe.dim);
  const auto power = [=](double j) { return static_cast<float>(std::pow(base, 2 * j / dim)); };
  if (recipe.rule != Rule::divided && recipe.rule != Rule::banded && recipe.rule != Rule::listed)
    return bent(rotation, [power](double j) { return 1 / power(j); });
  std::vector<float> f;
  for (std::size_t j = 0; j < rotation.waves->frequencies().size(); ++j) {
    const float wide = power(static_cast<double>(j)),
                exponent = static_cast<float>(2 * j) / static_cast<float>(recipe.dim);
    f.push_back(recipe.rule == Rule::divided ? single(1 / recipe.factor) / wide
                : recipe.rule == Rule::banded
                    ? numpy_banded(1 / wide, recipe)
                    : 1 / std::pow(single(recipe.base), exponent) / single(recipe.divisors[j]));
  }
  return multiplied(rotation, std::move(f));
}

Steps flashinfer(const Rotation& rotation) {
  const float inverse = 1 / single(rotation.recipe->base),
              dim = static_cast<float>(rotation.recipe->dim);
  return bent(rotation,
              [=](double j) { return std::pow(inverse, static_cast<float>(2 * j) / dim); });
}

}  // namespace pe
