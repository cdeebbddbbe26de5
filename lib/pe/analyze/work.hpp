// The work of a quantity: what its subject's rows and values cost, and how many threads share it.
#pragma once

#include "pe/analyze/quantity.hpp"
#include "pe/base/work.hpp"

namespace pe {

/// How many threads the question's work has to itself, where it is cut for them.
double threads_of(const Question& question);

/// Nanoseconds that a row of the subject's table takes beyond its cells: where each is solved for.
double row_work(const Subject& subject);

/// Seconds that a value of the bias takes, which may be a slope or a network: as a few of them
/// take.
double value_seconds(const Bias& bias, const PositionRange& keys);

/// As begin(), of making the subject's rows up to `last`: to solve a differential equation is work
/// that other rows, functions of their position, are not.
void begin_rows(const Question& question, double last);

}  // namespace pe
