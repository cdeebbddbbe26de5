// Judges a cache in memory, as an engine's own test would: Llama 3.1's, whose writer forgot its
// scaling.
#include <cmath>
#include <iostream>
#include <pe/pe.hpp>
#include <vector>

int main() {
  constexpr int positions = 4096, pairs = 64;
  std::vector<float> cos, sin;
  for (int position = 0; position < positions; ++position)
    for (int pair = 0; pair < pairs; ++pair) {
      const double angle = position * std::pow(500000.0, -pair / double{pairs});
      cos.push_back(static_cast<float>(std::cos(angle)));
      sin.push_back(static_cast<float>(std::sin(angle)));
    }

  const pe::Judged judged =
      pe::check({pe::View(cos, {positions, pairs}), pe::View(sin, {positions, pairs})},
                {.model = "llama-3.1-8b"});
  std::cout << pe::name_of(judged.tier) << '\n';
  for (const pe::Reason& reason : judged.causes)
    std::cout << pe::name_of(reason.cause) << ": " << reason.sentence << '\n';
  if (judged.worst) std::cout << "worst at " << judged.worst->place << '\n';
  return judged.passes ? 0 : 1;
}
