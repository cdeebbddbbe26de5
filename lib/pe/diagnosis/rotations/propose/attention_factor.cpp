// Causes of amplitude: the attention factor of yarn and longrope.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/median.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/amplitudes.hpp"
#include "pe/diagnosis/rotations/propose.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

RotationHypothesis with(const RotationHypothesis& hypothesis, double cosine, double sine) {
  RotationHypothesis other = hypothesis;
  other.cosine_magnitude = cosine;
  other.sine_magnitude = sine;
  return other;
}

RotationProposals to(const RotationHypothesis& hypothesis, double amplitude, std::string sentence,
                     double cost = 1) {
  constexpr double same = 1e-6;  // a float32 factor is known to a tenth of this
  if (!(std::fabs(amplitude - hypothesis.cosine_magnitude) > same * amplitude)) return {};
  return {{with(hypothesis, amplitude, amplitude), std::move(sentence), cost}};
}

double factor_of(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  return number_of(observation, hypothesis, "factor");
}

RotationProposals missing(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  const double m = observation.truth().magnitude;
  if (!observation.has_amplitude() || m == 1) return {};
  return to(
      hypothesis, 1,
      fmt::format("cosines and sines have amplitude 1, where the attention factor {:.6g} is meant: "
                  "it is missing, or the program multiplies q and k or the scores by it",
                  m));
}

RotationProposals squared(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  const double m = observation.truth().magnitude;
  if (!observation.has_amplitude() || m == 1) return {};
  return to(
      hypothesis, m * m,
      fmt::format("amplitude {:.6g}: the attention factor {:.6g} was applied twice", m * m, m));
}

RotationProposals log_twice(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  const double m = observation.truth().magnitude, s = factor_of(observation, hypothesis);
  if (!observation.has_amplitude() || s <= 1 || m == 1) return {};
  const double twice = 1 + 0.1 * m * std::log(s);
  return to(hypothesis, twice,
            fmt::format("amplitude {:.6g} = 0.1·{:.6g}·ln {:.6g} + 1: the attention factor was "
                        "taken for mscale, and its logarithm taken again",
                        twice, m, s));
}

RotationProposals inverted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  const double m = observation.truth().magnitude;
  if (!observation.has_amplitude() || m == 1) return {};
  return to(hypothesis, 1 / m,
            fmt::format("amplitude {:.6g}: divided by the attention factor {:.6g}", 1 / m, m));
}

RotationProposals on_angles(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  const Rotation* rotation = std::get_if<Rotation>(&observation.expected().effect);
  const double m = rotation ? rotation->magnitude : 1;
  if (m == 1) return {};
  RotationHypothesis other = with(hypothesis, 1, 1);
  for (double& f : other.frequencies) f *= m;
  RotationHypothesis both = hypothesis;
  both.frequencies = other.frequencies;
  return {
      {other,
       fmt::format(
           "the attention factor {:.6g} multiplies the angles, where cosines and sines are meant",
           m)},
      {both, fmt::format("the attention factor {:.6g} multiplies the angles, too", m)}};
}

// What numbers out of nowhere have is no amplitude, and beside it every bound is too wide.
constexpr double largest_factor = 1e4;

// The amplitude that the middle one of a side's cells has, of those that show it well; 0 where none
// does.
double amplitude_of_side(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis, bool sines) {
  std::vector<double> amplitudes;
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double angle =
          position_of(hypothesis, observation.rows()[i], j) * hypothesis.frequencies[j];
      const double want = sines ? std::sin(hypothesis.reversed ? -angle : angle) : std::cos(angle);
      if (std::fabs(want) > 0.5 && std::isfinite(observation.slack(i, j)))
        amplitudes.push_back((sines ? observation.sine(i, j) : observation.cosine(i, j)) / want);
    }
  return median_of(std::move(amplitudes));
}

RotationProposals on_one_side(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!observation.has_amplitude() || !observation.has_cosine() || !observation.has_sine() ||
      hypothesis.swapped || hypothesis.log_scale)
    return all;
  const double m = observation.truth().magnitude;
  if (m != 1)
    all = {{with(hypothesis, m, 1),
            fmt::format("only cosines are multiplied by the attention factor {:.6g}", m)},
           {with(hypothesis, 1, m),
            fmt::format("only sines are multiplied by the attention factor {:.6g}", m)}};
  const double near = 0.02 * m;
  std::size_t negative = 0;
  for (const bool of_sines : {false, true}) {
    const double measured = amplitude_of_side(observation, hypothesis, of_sines);
    negative += std::fabs(measured + m) < near;
    // Nearer than this it is rounding, or another cosine, and no factor.
    const double least = (1e-4 + 8 * observation.grain()) * m;
    const bool is_factor = measured > 0.01 * m && measured < largest_factor * m;
    if (!is_factor || std::fabs(measured - m) < least) continue;
    const double a = tidiest(measured, observation.grain()).value;
    all.push_back({of_sines ? with(hypothesis, m, a) : with(hypothesis, a, m),
                   fmt::format("{} alone have amplitude {:.6g}, where {:.6g} is meant of both",
                               of_sines ? "sines" : "cosines", a, m),
                   1.25});
  }
  if (negative == 2)  // each half a circle away
    all.push_back({with(hypothesis, -m, -m), "cosines and sines have the other sign", 1.1,
                   Cause::wrong_amplitude});
  return all;
}

// The radius of the circle; of one side alone what its cells are beside those of a hypothesis, for
// the highest of them may lie below the amplitude.
double amplitude_of(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  if (observation.has_cosine() && observation.has_sine()) return observation.amplitude();
  const double of_side = amplitude_of_side(observation, hypothesis, observation.has_sine());
  return of_side > 0 ? of_side : observation.amplitude();
}

// As it was measured, and the tidiest number that rounds to it: in a short type slow pairs stand at
// the amplitude itself and all round alike. What most numbers of a short type allow is sharper than
// that; nothing is left where they allow what is meant, or were cut off to it.
std::vector<double> measured_amplitudes(const RotationObservation& observation,
                                        const RotationHypothesis& hypothesis) {
  const double amplitude = amplitude_of(observation, hypothesis), grain = observation.grain(),
               meant = observation.truth().magnitude;
  if (grain >= short_unit) {
    const AmplitudeObservation allowed(observation, hypothesis, observation.has_cosine(),
                                       observation.has_sine());
    if (allowed.are_known()) {
      const AmplitudeObservation cut(observation, hypothesis, observation.has_cosine(),
                                     observation.has_sine(), true);
      if (allowed.allow(meant) || cut.count(meant) >= allowed.most_count()) return {};
      const auto [low, high] = allowed.most();
      return {tidiest_between(low, high).value, (low + high) / 2};
    }
  }
  // What rounds to the same number of the file's type is no other amplitude.
  std::vector<double> all;
  for (const double one : {amplitude, tidiest(amplitude, grain).value})
    if (std::fabs(one - meant) > 2 * grain * meant) all.push_back(one);
  return all;
}

// Amplitudes that codebases give under other readings of the same config (engines.md, A), then
// whatever was measured.
RotationProposals unexpected(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!observation.has_amplitude() || observation.expected().encoding->kind != Kind::rotation)
    return all;
  const double m = observation.truth().magnitude, s = factor_of(observation, hypothesis),
               measured = amplitude_of(observation, hypothesis);
  if (!(measured < largest_factor * m)) return all;
  const auto add = [&](double amplitude, const std::string& why, double cost) {
    if (std::fabs(amplitude - measured) < 0.02 * amplitude)
      for (auto& one :
           to(hypothesis, amplitude,
              fmt::format("amplitude {:.6g}, where {:.6g} is meant: {}", amplitude, m, why), cost))
        all.push_back(one);
  };
  if (s > 1) {
    add(0.1 * std::log(s) + 1, fmt::format("0.1·ln {:.6g} + 1", s), 1);
    add(1 / (0.1 * std::log(s) + 1), fmt::format("1/(0.1·ln {:.6g} + 1)", s), 1);
    if (const double length = number_of(observation, hypothesis, "original-max-position");
        length > 1)
      add(std::sqrt(1 + std::log(s) / std::log(length)),
          fmt::format("√(1 + ln {:.6g}/ln {}), longrope's", s, spell_number(length)), 1.05);
    for (const char* name : {"mscale", "mscale-all-dim"})
      if (const double k = number_of(observation, hypothesis, name); k != 0)
        add(0.1 * k * std::log(s) + 1, fmt::format("{} alone, not the ratio of both", name), 1);
  }
  for (const double amplitude : measured_amplitudes(observation, hypothesis))
    add(amplitude, "no known rule gives it", 1.25);
  return all;
}

RotationProposals of_table(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (!observation.has_amplitude() || observation.expected().encoding->kind != Kind::table)
    return {};
  const double a = amplitude_of(observation, hypothesis),
               channels = static_cast<double>(observation.truth().dim);
  RotationProposals all;
  for (const auto& [known, why] : {std::pair{std::sqrt(2 / channels), "√(2/dim)"},
                                   {1 / std::sqrt(channels), "1/√dim"},
                                   {std::sqrt(channels), "√dim"},
                                   {0.5, "1/2"},
                                   {2.0, "2"}})
    if (std::fabs(known - a) < 0.01 * a)
      for (auto& one : to(hypothesis, known,
                          fmt::format("every value is multiplied by {:.6g} = {}", known, why)))
        all.push_back(one);
  for (const double amplitude : measured_amplitudes(observation, hypothesis))
    for (auto& one : to(hypothesis, amplitude,
                        fmt::format("every value is multiplied by {:.6g}", amplitude), 1.25))
      all.push_back(one);
  return all;
}

constexpr RotationProposer rows[] = {
    {Cause::attention_factor_missing, "amplitude", missing, may_be_by_length},
    {Cause::attention_factor_squared, "amplitude", squared, may_be_by_length},
    {Cause::attention_factor_log_twice, "amplitude", log_twice, may_be_by_length},
    {Cause::attention_factor_inverted, "amplitude", inverted, may_be_by_length},
    {Cause::attention_factor_on_angles, "amplitude", on_angles, may_be_by_angles},
    {Cause::attention_factor_on_one_side, "amplitude", on_one_side},  // or wrong_amplitude
    {Cause::attention_factor_unexpected, "amplitude", unexpected, may_be_by_length},
    {Cause::wrong_amplitude, "amplitude", of_table, may_be_by_length},
};

}  // namespace

std::span<const RotationProposer> amplitude_causes() { return rows; }

}  // namespace pe
