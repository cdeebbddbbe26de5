// What an encoding costs a model: numbers that are kept, arithmetic and reading for each token.
#pragma once

#include "pe/subject/subject.hpp"

namespace pe {

/// The model that the encoding is part of.
struct CostedModel {
  double length = 0, heads = 0, kv_heads = 0, channels = 0, layers = 1;
  double width() const { return heads * channels; }
};

/// Counts of numbers and of floating-point operations; a multiplication, a sum and a function each
/// count one, a product of two vectors of n numbers 2n.
struct Cost {
  double parameters = 0;                 // trained, one set of them
  double stored = 0;                     // made once and kept, at this length
  double once = 0;                       // operations for each token, whatever the layers
  double layer = 0;                      // operations for each token in each layer
  double read_once = 0, read_layer = 0;  // numbers read for each token
};

/// Throws MathError for an encoding that has no rule.
Cost cost_of(const Subject& subject, const CostedModel& model);

}  // namespace pe
