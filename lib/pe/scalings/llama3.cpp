// Llama 3 scaling: long waves are stretched, short ones kept, those between blended.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/scalings/parameters.hpp"
#include "pe/scalings/ramp_fit.hpp"
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
template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  const Number factor = values.number("factor"), low = values.number("low-freq-factor"),
               high = values.number("high-freq-factor"),
               original = values.number("original-max-position");
  if (high < low)
    throw UsageError(
        fmt::format("--high-freq-factor must not be below --low-freq-factor, got {} and {}",
                    values.spell("high-freq-factor"), values.spell("low-freq-factor")));
  BasicLadder<Number> bent = plain;
  for (Number& frequency : bent.frequencies) {
    const Number turns =
        original * frequency / (2 * pi_of<Number>());  // within the original length
    if (turns > high || (turns == high && high == low)) continue;
    if (turns < low) {
      frequency /= factor;
      continue;
    }
    const Number kept = (turns - low) / (high - low);
    frequency = (1 - kept) * frequency / factor + kept * frequency;
  }
  bent.recipe = {.rule = LadderRule::banded,
                 .base = plain.base,
                 .dim = plain.dim,
                 .factor = factor,
                 .low = low,
                 .high = high,
                 .original = original};
  return bent;
}

// Pairs kept, divided and blended tell L/low and L/high, not the three numbers: the usual 1 and 4
// go first, then whatever a likely length makes of them.
ScalingFits fit(const MeasuredLadder& measured) {
  ScalingFits fits;
  for (const BandFit& band : fitted_bands(measured, {{1, 4}, {1, 1}}))
    fits.push_back({{{"factor", band.factor},
                     {"low-freq-factor", band.low},
                     {"high-freq-factor", band.high},
                     {"original-max-position", band.original}},
                    band.cost});
  return fits;
}

}  // namespace

extern constinit const Scaling llama3{
    .name = "llama3",
    .also = "llama-3 llama31",
    .summary = "long waves divided by the factor, short ones kept, a blend between",
    .source = "Llama 3.1 reference code (apply_scaling); Grattafiori et al. 2024, arXiv:2407.21783",
    .parameters = schema,
    .revokes = "",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = &fit,
};

}  // namespace pe::scaling_rows
