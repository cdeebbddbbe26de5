// Compares the table of a model with the loop that everybody writes, in float32 from end to end.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <pe/pe.hpp>

int main() {
  constexpr float base = 10000;
  const pe::Arrays exact = pe::table({.model = "llama-2-7b", .length = 4096});
  const pe::Array& cosines = exact["cos"];
  const auto cos = pe::values_of<float>(cosines);
  const pe::Index positions = cosines.shape()[0], pairs = cosines.shape()[1];

  double worst = 0;
  for (pe::Index position = 0; position < positions; ++position)
    for (pe::Index pair = 0; pair < pairs; ++pair) {
      const float exponent = -static_cast<float>(pair) / static_cast<float>(pairs);
      const float angle = static_cast<float>(position) * std::pow(base, exponent);
      const double off =
          std::fabs(std::cos(angle) - cos[static_cast<std::size_t>(position * pairs + pair)]);
      worst = std::max(worst, off);
    }

  // The power is within 2 units of its last place, the product within half of one: an angle below
  // 4096 is off by 4096 · 2.5 · 2^-23 at most, and so is its cosine, but for two roundings.
  const double bound = 4096 * 2.5 * 0x1p-23 + 0x1p-23;
  std::cout << positions << " x " << pairs << ", off by " << worst << ", within " << bound << '\n';
  return worst > 0 && worst <= bound ? 0 : 1;
}
