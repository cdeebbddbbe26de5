// How well scores and their softmax are known.
#pragma once

#include <span>

#include "pe/analyze/attention/attended.hpp"

namespace pe {

/// How far a logit of the sample may lie from the one that is meant, for queries `rows`.
double logit_error(const Attended& attended, const Sample& sample, std::span<const Index> rows);

/// The relative error of a weight whose logits are off by that. Throws MathError where nothing of
/// the weight is known.
double weight_error(const Attended& attended, double logit_error);

}  // namespace pe
