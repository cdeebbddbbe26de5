// Subjects made fit to be measured: with numbers, of another length, as they are stored.
#pragma once

#include <string>

#include "pe/subject/subject.hpp"

namespace pe {

/// Whether the numbers of the effect are trained and were not given.
bool lacks_numbers(const Effect& effect);

/// The subject itself where it has numbers; else with those that its encoding draws with the seed,
/// and a sentence for people that says so. Throws UsageError where it draws none.
struct Prepared {
  Subject subject;
  std::string note;
};
Prepared with_numbers(const Subject& subject, const std::string& seed);

/// The same encoding for a sequence of another length, at positions 0 … length − 1.
Subject of_length(const Subject& subject, Index length);

/// The same positions in rising order.
PositionRange rising(const PositionRange& positions);

/// The effect with its numbers rounded once to the dtype.
Effect stored_as(const Effect& effect, DType dtype);

/// How far a double that the bias gives may lie from the number that is meant: of the largest
/// magnitude among those that were looked at, up to a distance.
double bias_error(const Subject& subject, const Bias& bias, double magnitude, double distance);

}  // namespace pe
