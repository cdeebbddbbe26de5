// Work: what a quantity is about to do, counted, so that what would take far longer than it may is
// refused before it starts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

/// A size that operations grow with, as a power of it.
struct Lever {
  std::string_view option;  // that tells it
  double value = 0, power = 1;
};

/// The rate is that of one thread of a machine of 2020, as measured (tests/quantities/growth.py
/// holds it to a factor of five): operations of what is counted here, whatever each consists of.
struct Work {
  std::string what;  // is counted, with its sizes: "4096 distances x 64 pairs"
  double operations = 0, per_second = 1e9;
  double threads = 1;
  std::vector<Lever> levers = {};
  std::string other = {};  // what makes it less, beside them: "fewer --solvers"

  double seconds() const { return operations / per_second / threads; }
};

/// How many threads the question's work has to itself, where it is cut for them.
double threads_of(const Question& question);

/// Throws UsageError where the work takes more than three times what is left of the time that the
/// task may take, and says how long it takes and what takes less.
void begin(const Work& work);

/// Seconds of computing that a sample of the work takes, once it has been done before.
double seconds_of(const std::function<void()>& sample);

/// Nanoseconds that a row of the subject's table takes beyond its cells: where each is solved for.
double row_work(const Subject& subject);

/// Seconds that a value of the bias takes, which may be a slope or a network: as a few of them
/// take.
double value_seconds(const Bias& bias, const PositionRange& keys);

/// As begin(), of making the subject's rows up to `last`: to solve a differential equation is work
/// that other rows, functions of their position, are not.
void begin_rows(const Question& question, double last);

}  // namespace pe
