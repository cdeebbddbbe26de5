// Another base under the divisors that a scaling found for the one that is meant: rope_freqs of a
// GGUF whose freq_base was lost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/rotations/propose/alternatives.hpp"
#include "pe/diagnosis/rotations/propose/base.hpp"

namespace pe {

RotationProposals base_under_divisors(const RotationObservation& observation,
                                      const RotationHypothesis& hypothesis) {
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const double base = number_of(observation, hypothesis, "base");
  const std::size_t n = unscaled.size();
  if (!is_scaled(observation, hypothesis) || !hypothesis.axis.empty() || !(base > 1) || n < 3 ||
      hypothesis.frequencies.size() != n ||
      hypothesis.frequencies != observation.truth().frequencies || !(unscaled[1] > 0))
    return {};
  const double exponent = std::log(unscaled[1] / unscaled[0]) / std::log(base);  // −2/d
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.errors_from_rule(hypothesis);
  std::vector<double> kept;  // what the scaling makes of each pair
  for (std::size_t j = 0; j < n; ++j) kept.push_back(hypothesis.frequencies[j] / unscaled[j]);
  // One number for all pairs is a ladder that other bases have, too.
  const auto [least, most] = std::ranges::minmax(kept);
  if (!(most > (1 + 1e-9) * least)) return {};
  double sum = 0, weight = 0;
  for (std::size_t j = 1; j < n; ++j) {
    if (!(measured[j] > 0) || !(errors[j] < 0.1 * measured[j])) continue;
    const double e = exponent * static_cast<double>(j),
                 sharp = std::max(errors[j] / measured[j], 1e-9);
    sum += e * std::log(measured[j] / kept[j] / unscaled[0]) / (sharp * sharp);
    weight += e * e / (sharp * sharp);
  }
  if (!(weight > 0)) return {};
  const double fitted = std::exp(sum / weight);
  RotationProposals all;
  double before = base;
  for (const int digits : {1, 2, 3, 4, 5, 6}) {
    const double other = to_digits(fitted, digits);
    if (!(other > 1) || !(other < 1e12) || other == base || other == before) continue;
    before = other;
    all.push_back({hypothesis,
                   fmt::format("base {}, where {} is meant, under the divisors of the base that is "
                               "meant",
                               spell_number(other), meant(observation, "base")),
                   1.1 + 0.01 * digits});
    for (std::size_t j = 0; j < n; ++j)
      all.back().hypothesis.frequencies[j] =
          unscaled[0] * std::pow(other, exponent * static_cast<double>(j)) * kept[j];
  }
  return all;
}

}  // namespace pe
