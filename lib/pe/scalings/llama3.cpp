// Llama 3 scaling: long waves are stretched, short ones kept, those between blended.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {
    row::required(row::factor),
    {.name = "low-freq-factor",
     .type = Parameter::Type::number,
     .help = "waves longer than original/low are divided by the factor",
     .fallback = "1",
     .lowest = "1e-6",
     .highest = "1e6",
     .config = "low_freq_factor"},
    {.name = "high-freq-factor",
     .type = Parameter::Type::number,
     .help = "waves shorter than original/high are kept",
     .fallback = "4",
     .lowest = "1e-6",
     .highest = "1e6",
     .config = "high_freq_factor"},
    row::required(row::original_max_position),
};

// With λ = 2π/θ and L the original length: θ for λ < L/high; θ/s for λ > L/low; between them
// (1−t)·θ/s + t·θ, t = (L/λ − low)/(high − low) (Llama 3.1 reference code, `apply_scaling`).
Ladder bend(const Ladder& plain, const Parameters& parameters, Index) {
  const Real factor = parameters.number("factor").real(),
             low = parameters.number("low-freq-factor").real(),
             high = parameters.number("high-freq-factor").real(),
             original = parameters.number("original-max-position").real();
  if (high <= low)
    throw UsageError(fmt::format("--high-freq-factor must exceed --low-freq-factor, got {} and {}",
                                 parameters.spell("high-freq-factor"),
                                 parameters.spell("low-freq-factor")));
  Ladder bent = plain;
  for (Real& frequency : bent.frequencies) {
    const Real turns = original / wavelength(frequency);  // full turns within the original length
    if (turns > high) continue;
    if (turns < low) {
      frequency /= factor;
      continue;
    }
    const Real kept = (turns - low) / (high - low);
    frequency = (1 - kept) * frequency / factor + kept * frequency;
  }
  bent.recipe = {.rule = Recipe::Rule::banded,
                 .base = plain.base,
                 .dim = plain.dim,
                 .factor = factor,
                 .low = low,
                 .high = high,
                 .original = original};
  return bent;
}

}  // namespace

extern constinit const Scaling llama3{
    .name = "llama3",
    .summary = "long waves divided by the factor, short ones kept, a blend between",
    .source = "Llama 3.1 reference code (apply_scaling); Grattafiori et al. 2024, arXiv:2407.21783",
    .parameters = schema,
    .revokes = "",
    .bend = &bend,
};

}  // namespace pe::scaling_rows
