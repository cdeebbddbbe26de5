// Seconds as people say them, and the sizes that fit.
#include "pe/base/work.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace pe {
namespace {

// Machines differ by less, and an estimate is off by less: nothing is refused that would do.
constexpr double far_beyond = 3;

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.2g} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} minutes", seconds / 60);
  if (seconds < 3e5) return fmt::format("{:.0f} hours", seconds / 3600);
  if (seconds < 3e8) return fmt::format("{:.0f} days", seconds / 86400);
  return fmt::format("{:.2g} years", seconds / 31557600);
}

// The sizes that take the time that is given, each by itself.
std::string less_of(const Work& work, double given) {
  std::string text;
  for (const Lever& lever : work.levers) {
    const double fits = std::floor(lever.value * std::pow(given / work.seconds(), 1 / lever.power));
    if (fits >= 1 && fits < lever.value)
      text += fmt::format("{}--{} {:.0f} or less", text.empty() ? "" : ", ", lever.option, fits);
  }
  if (!work.other.empty()) text += (text.empty() ? "" : ", ") + work.other;
  return text.empty() ? "" : text + ", or ";
}

}  // namespace

void begin(const Work& work) {
  const auto budget = budget_here();
  if (!budget->has_end()) return;  // it may take as long as it likes
  budget->ask();                   // what has run out already is no matter of this work
  if (!(work.seconds() > far_beyond * budget->seconds())) return;
  throw TooLong(fmt::format("{} would take about {}, and --timeout gives {}: give {}more --timeout",
                            work.what, duration(work.seconds()), duration(budget->seconds()),
                            less_of(work, budget->seconds())));
}

double seconds_of(const std::function<void()>& sample) {
  sample();  // what is made once is made
  const std::clock_t start = std::clock(), enough = CLOCKS_PER_SEC / 500;  // ticks are microseconds
  std::clock_t taken = 0;
  int times = 0;
  for (; taken < enough && times < 1000; ++times) {
    sample();
    taken = std::clock() - start;
  }
  return static_cast<double>(taken) / CLOCKS_PER_SEC / times;
}

}  // namespace pe
