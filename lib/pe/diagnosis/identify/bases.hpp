// Bases that measured frequencies imply, and candidates made of them.
#pragma once

#include "pe/diagnosis/identify/ladder.hpp"

namespace pe {

struct Base {
  double value, cost;
};

/// Those of models, the likeliest first.
std::vector<Base> bases_in_use();

/// Fits of a few pairs to θ_j = θ_0 · base^(−j/steps), rounded to few digits; bases in use that lie
/// near them.
std::vector<Base> bases_of(const Measured& measured, double steps,
                           const std::vector<std::size_t>& pairs);
/// The pairs that tell the base best.
std::vector<std::size_t> sharpest(const Measured& measured);
Candidate rope_guess(const Measured& measured, const Base& base, Given more, double cost);
std::vector<double> plain_of(double base, std::size_t pairs);

}  // namespace pe
