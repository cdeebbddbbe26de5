// Work: what is about to be done, counted, so that what would take far longer than it may is
// refused before it starts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/budget.hpp"

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

/// Work that is not begun, for it would outlast its time by far. No refusal of what was asked: who
/// tries several readings of it does not take another for that.
struct TooLong : OutOfTime {
  using OutOfTime::OutOfTime;
};

/// Throws TooLong where the work takes more than three times as long as the task may, and says how
/// long it takes and what takes less. The time that is left decides nothing here: the same words
/// get the same refusal on every machine.
void begin(const Work& work);

/// Seconds of computing that a sample of the work takes, once it has been done before.
double seconds_of(const std::function<void()>& sample);

}  // namespace pe
