// Numbers as large as those that are meant, which do not go with them.
#include "pe/diagnosis/rows/another.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pe/diagnosis/causes.hpp"

namespace pe {

std::optional<Reason> another_table(const RowObservation& observation) {
  if (2 * std::ranges::count_if(observation.implied, [](std::int64_t p) { return p >= 0; }) >
      observation.rows)
    return {};
  constexpr double enough = 256, alike = 4;  // cells; of standard deviations
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  std::vector<double> meant(static_cast<std::size_t>(observation.width));
  for (const RowObservation::Probe& probe : observation.probes) {
    if (!observation.evaluate({}, probe.row, meant.data())) continue;
    for (std::size_t c = 0; c < meant.size(); ++c) {
      n += 1;
      x += meant[c];
      y += probe.got[c];
      xx += meant[c] * meant[c];
      yy += probe.got[c] * probe.got[c];
      xy += meant[c] * probe.got[c];
    }
  }
  const double of_meant = std::sqrt(xx / n - x / n * x / n),
               of_got = std::sqrt(yy / n - y / n * y / n),
               correlation = (xy / n - x / n * y / n) / (of_meant * of_got);
  // Of numbers that have nothing to do with one another it is some 1/√n.
  if (n < enough || !(std::fabs(correlation) < 5 / std::sqrt(n)) || !(of_got < alike * of_meant) ||
      !(of_meant < alike * of_got))
    return {};
  return Reason{Cause::other_weights,
                "every row is as large as the one that is meant and has nothing to do with it: "
                "another model's table, or one that was drawn anew"};
}

}  // namespace pe
