// Ladders between two timescales of which one is another.
#include <fmt/format.h>

#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/rotations/propose/base.hpp"

namespace pe {

// θ_j = (min/max)^(j/(n−1))/min: a line of logarithms over j tells both ends.
RotationProposals other_timescales(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  const Parameters& parameters = observation.expected().parameters;
  const std::size_t n = observation.pairs();
  if (!(parameters.has("max-timescale") || parameters.has("min-timescale")) || n < 3 ||
      !hypothesis.axis.empty())
    return {};
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.errors_from_rule(hypothesis);
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (!(measured[j] > 0) || !(errors[j] < 0.1 * measured[j])) continue;
    const double sharp = std::max(errors[j] / measured[j], 1e-9), w = 1 / (sharp * sharp),
                 place = static_cast<double>(j), height = std::log(measured[j]);
    weight += w;
    x += w * place;
    y += w * height;
    xx += w * place * place;
    xy += w * place * height;
  }
  const double spread = weight * xx - x * x;
  if (!(spread > 0)) return {};
  const double slope = (weight * xy - x * y) / spread, start = (y - slope * x) / weight;
  RotationProposals all;
  for (const auto& [name, fitted] :
       {std::pair{"max-timescale", std::exp(-start - slope * static_cast<double>(n - 1))},
        std::pair{"min-timescale", std::exp(-start)}}) {
    if (!parameters.has(name)) continue;
    for (const int digits : {1, 2, 3, 4, 5, 6}) {
      const double other = to_digits(fitted, digits);
      if (!(other > 1e-60) || !(other < 1e60)) continue;
      if (auto made = remade(observation, hypothesis, {{name, other}}))
        all.push_back({std::move(*made),
                       fmt::format("{} {}, where {} is meant", name, spell_number(other),
                                   meant(observation, name)),
                       1.05 + 0.01 * digits});
    }
  }
  return all;
}

}  // namespace pe
