// Rotates queries and keys that lie as engines have them, [batch, position, head, channel].
#include <algorithm>
#include <cmath>
#include <iostream>
#include <pe/pe.hpp>
#include <vector>

int main() {
  constexpr pe::Index positions = 32, heads = 4, channels = 128;
  // The same vector everywhere, so that scores may depend on the distance alone.
  std::vector<float> q(positions * heads * channels);
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = std::sin(static_cast<float>(i % channels)) / std::sqrt(static_cast<float>(channels));

  const pe::View view(q, {1, positions, heads, channels});
  const pe::Arrays applied = pe::apply({.model = "llama-3.1-8b", .dtype = pe::DType::f64},
                                       {.q = view, .k = view, .axes = "bshd", .causal = false});
  const auto turned = pe::values_of<double>(applied["q_out"]);
  const auto logits = pe::values_of<double>(applied["logits"]);  // [batch, head, query, key]

  double spread = 0;
  for (std::size_t i = 1; i < positions; ++i)
    for (std::size_t j = 1; j < positions; ++j)
      spread = std::max(spread,
                        std::fabs(logits[i * positions + j] - logits[(i - 1) * positions + j - 1]));
  std::cout << turned.size() << " numbers turned; a query's score by distance:";
  for (std::size_t distance = 0; distance < 4; ++distance) std::cout << ' ' << logits[distance];
  std::cout << "\nequal along every diagonal but for " << spread << '\n';
  // Two sums of 128 products, each of at most |q|² / √128 < 0.05, a rounding after every step.
  return spread <= 2 * (channels + 8) * 0.05 * 0x1p-53 ? 0 : 1;
}
