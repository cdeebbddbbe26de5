// Least squares along the pairs that tell a base.
#include "pe/diagnosis/rotations/propose/fitted_bases.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace pe {
namespace {

// What a scaling that does not look at the base divides each pair by, over what it divides the
// first by; 1 for the others.
std::vector<double> ratios_of(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  const std::vector<double>&f = hypothesis.frequencies, &unscaled = observation.truth().unscaled;
  std::vector<double> ratios(f.size(), 1.0);
  if (word_of(observation, hypothesis, "scaling") == "longrope")
    for (std::size_t j = 0; j < f.size(); ++j)
      ratios[j] = (f[j] / unscaled[j]) / (f[0] / unscaled[0]);
  return ratios;
}

// Pairs first … end − 1.
struct Run {
  std::size_t first = 0, end = 0;
};

// A base, how sharply a run of pairs tells it, and which.
struct BaseFit {
  double base = 0, sharpness = 0;
  Run run;
};

// Least squares of what is left of cosines and sines, the angle of pair j at row p moving by
// −p·θ_j·(2j/d) for each unit of ln(base); rows farther and farther out, so that what is left stays
// within a radian.
double refined(const RotationObservation& observation, const RotationHypothesis& hypothesis,
               std::span<const double> ratios, double base, double exponent, const Run& run) {
  constexpr double near = 0.8;
  const double scale = hypothesis.frequencies[run.first] / observation.truth().unscaled[run.first] /
                       ratios[run.first];
  const std::size_t first = std::max<std::size_t>(run.first, 1);
  if (by_frequencies(observation, hypothesis)) {  // of the frequencies' own logarithms
    const std::vector<double> measured = observation.measured(hypothesis);
    double sum = 0, weight = 0;
    for (std::size_t j = first; j < run.end; ++j)
      if (const double e = exponent * static_cast<double>(j),
          ratio = measured[j] / scale / ratios[j];
          ratio > 0) {
        sum += e * std::log(ratio);
        weight += e * e;
      }
    return weight > 0 ? std::exp(sum / weight) : base;
  }
  std::vector<double> frequencies(run.end);
  for (double reach = 16;
       observation.has_rows() && reach < 8 * static_cast<double>(observation.slots()); reach *= 2) {
    double moved = 0, weight = 0;
    for (std::size_t j = first; j < run.end; ++j)
      frequencies[j] = scale * ratios[j] * std::pow(base, exponent * static_cast<double>(j));
    for (std::size_t i = 0; i < observation.rows().size(); ++i) {
      const double p = hypothesis.position(observation.rows()[i], 0);
      if (std::fabs(p) > reach) continue;
      for (std::size_t j = first; j < run.end; ++j) {
        if (std::isinf(observation.slack(i, j))) continue;
        const double e = exponent * static_cast<double>(j), angle = p * frequencies[j],
                     gradient = e * angle, cosine = std::cos(angle), sine = std::sin(angle);
        double c = observation.cosine(i, j), s = observation.sine(i, j);
        bool has_cosine = observation.has_cosine(), has_sine = observation.has_sine();
        if (hypothesis.swapped) {
          std::swap(c, s);
          std::swap(has_cosine, has_sine);
        }
        const double from_cosine = c / hypothesis.cosine_magnitude - cosine,
                     from_sine = (hypothesis.reversed ? -s : s) / hypothesis.sine_magnitude - sine,
                     along = -sine, across = cosine;
        const double left =
            (has_cosine ? from_cosine * along : 0) + (has_sine ? from_sine * across : 0);
        if (has_cosine && !(std::fabs(from_cosine) < near)) continue;
        if (has_sine && !(std::fabs(from_sine) < near)) continue;
        moved += left * gradient;
        weight += gradient * gradient *
                  ((has_cosine ? along * along : 0) + (has_sine ? across * across : 0));
      }
    }
    if (weight > 0) base *= std::exp(moved / weight);
  }
  return base;
}

}  // namespace

bool by_frequencies(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  return !observation.has_rows() ||
         observation.errors_from_rule(hypothesis) != observation.measured_errors(hypothesis);
}

std::vector<double> fitted_bases(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  const std::vector<double>&f = hypothesis.frequencies, &unscaled = observation.truth().unscaled,
        measured = observation.measured(hypothesis),
        errors = observation.errors_from_rule(hypothesis);
  const double base = number_of(observation, hypothesis, "base");
  if (!(base > 0) || f.size() < 2 || unscaled.size() < f.size() || unscaled[1] <= 0) return {};
  const double exponent = std::log(unscaled[1]) / std::log(base);  // −2/d
  const std::vector<double> ratios = ratios_of(observation, hypothesis);
  // A scaling that changes the base alone leaves a ladder of another base, `as_if`.
  const double as_if = std::pow(f[1] / f[0], 1 / exponent);
  bool geometric = true;
  for (std::size_t j = 2; j < f.size(); ++j)
    geometric = geometric && std::fabs(f[j] * f[0] / (f[j - 1] * f[1]) - 1) < 1e-9;
  // The runs of pairs, among some of them, that the scaling leaves alike on the ladder of a base.
  const auto alike = [&](const std::vector<double>& ladder, double of_base, Run among) {
    const auto ratio = [&](std::size_t j) {
      return ladder[j] / ratios[j] / std::pow(of_base, exponent * static_cast<double>(j));
    };
    std::vector<Run> runs{{among.first, among.first + 1}};
    for (std::size_t j = among.first + 1; j < among.end; ++j)
      if (geometric || std::fabs(ratio(j) / ratio(runs.back().first) - 1) <= 1e-9)
        runs.back().end = j + 1;
      else
        runs.push_back({j, j + 1});
    return runs;
  };
  // By the pair that tells it most sharply: an error of a frequency moves the base by 1/(j·θ_j).
  const auto sharpest = [&](std::vector<Run> runs) {
    constexpr std::size_t enough = 3;  // pairs that a scaling leaves: they stand as they are meant
    if (runs.front().end - runs.front().first >= enough) runs.resize(1);
    BaseFit best;
    const auto error_of = [&](std::size_t j) { return std::max(errors[j] / measured[j], 1e-12); };
    for (const Run& run : runs) {
      std::size_t known = run.first;  // what is open has no frequency
      while (known + 1 < run.end && !(measured[known] > 0)) ++known;
      for (std::size_t j = known + 1; j < run.end && measured[j] > 0 && measured[known] > 0; ++j) {
        const auto apart = static_cast<double>(j - known);
        const double value = std::pow(measured[j] / measured[known] * ratios[known] / ratios[j],
                                      1 / (exponent * apart));
        const double sharpness = apart / std::max(error_of(j), error_of(known));
        if (std::isfinite(value) && value > 0 && sharpness > best.sharpness)
          best = {value, sharpness, run};
      }
    }
    return best;
  };
  // What a scaling bends depends on the base that is sought: pairs that it bends there go, too.
  BaseFit fit = sharpest(alike(f, base, {0, f.size()}));
  while (fit.base > 1 && !geometric) {
    const auto there = remade(observation, hypothesis, {{"base", fit.base}});
    if (!there) break;
    const BaseFit kept = sharpest(alike(there->frequencies, fit.base, fit.run));
    if (kept.run.end - kept.run.first >= fit.run.end - fit.run.first || !(kept.base > 0)) break;
    fit = kept;
  }
  while (fit.run.end > fit.run.first + 1 && !(measured[fit.run.end - 1] > 0)) --fit.run.end;
  if (!(fit.base > 0)) return {};
  const double as_meant = geometric ? base / as_if : 1,
               by_cells = refined(observation, hypothesis, ratios, fit.base, exponent, fit.run);
  const double error = 2 / (-exponent * fit.sharpness);
  std::vector<double> bases{by_cells * as_meant};
  if (!(std::fabs(std::log(by_cells / fit.base)) <= error)) bases.push_back(fit.base * as_meant);
  return bases;
}

}  // namespace pe
