// The base from frequencies, or from what is left of cosines and sines.
#include "pe/diagnosis/rotations/propose/base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/rotations/propose/alternatives.hpp"

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

// Whether the frequencies tell more than the rows: there are none, or they turn by frequencies that
// were rounded.
bool by_frequencies(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  return !observation.has_rows() ||
         observation.errors_from_rule(hypothesis) != observation.measured_errors(hypothesis);
}

// Pairs first … end − 1.
struct Run {
  std::size_t first = 0, end = 0;
};

// A base, how sharply a run of pairs tells it, and which.
struct Fit {
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
  for (double reach = 16;
       observation.has_rows() && reach < 8 * static_cast<double>(observation.slots()); reach *= 2) {
    double moved = 0, weight = 0;
    for (std::size_t i = 0; i < observation.rows().size(); ++i) {
      const double p = hypothesis.position(observation.rows()[i], 0);
      if (std::fabs(p) > reach) continue;
      for (std::size_t j = first; j < run.end; ++j) {
        if (std::isinf(observation.slack(i, j))) continue;
        const double e = exponent * static_cast<double>(j),
                     angle = p * scale * ratios[j] * std::pow(base, e), gradient = e * angle;
        double c = observation.cosine(i, j), s = observation.sine(i, j);
        bool has_cosine = observation.has_cosine(), has_sine = observation.has_sine();
        if (hypothesis.swapped) {
          std::swap(c, s);
          std::swap(has_cosine, has_sine);
        }
        const double from_cosine = c / hypothesis.cosine_magnitude - std::cos(angle),
                     from_sine = (hypothesis.reversed ? -s : s) / hypothesis.sine_magnitude -
                                 std::sin(angle),
                     along = -std::sin(angle), across = std::cos(angle);
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

// The base that the measured frequencies have along pairs that the scaling does not tell apart: the
// first, which it leaves, or others, which it divides by one number. By all cells; and by the
// sharpest pair where that disagrees: rows that stand elsewhere spoil the cells. None: empty.
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
    Fit best;
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
  Fit fit = sharpest(alike(f, base, {0, f.size()}));
  while (fit.base > 1 && !geometric) {
    const auto there = remade(observation, hypothesis, {{"base", fit.base}});
    if (!there) break;
    const Fit kept = sharpest(alike(there->frequencies, fit.base, fit.run));
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

// The base that the frequencies have in whatever order they stand, the sharply measured from the
// fastest on; nothing where they are no such ladder.
std::optional<double> base_in_any_order(const RotationObservation& observation,
                                        const RotationHypothesis& hypothesis) {
  constexpr double sharp = 1e-4;
  constexpr std::size_t enough = 4;
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const double base = number_of(observation, hypothesis, "base");
  if (!(base > 1) || unscaled.size() < enough || !(unscaled[1] > 0)) return {};
  const double exponent = std::log(unscaled[1]) / std::log(base);
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.errors_from_rule(hypothesis);
  std::vector<double> known;
  for (std::size_t j = 0; j < measured.size(); ++j)
    if (measured[j] > 0 && errors[j] <= sharp * measured[j]) known.push_back(measured[j]);
  std::ranges::sort(known, std::greater{});
  if (known.size() < enough) return {};
  double sum = 0, weight = 0;
  for (std::size_t k = 1; k < known.size(); ++k) {
    const double e = exponent * static_cast<double>(k);
    sum += e * std::log(known[k] / unscaled[0]);
    weight += e * e;
  }
  const double log_base = sum / weight;
  for (std::size_t k = 0; k < known.size(); ++k)
    if (std::fabs(std::log(known[k] / unscaled[0]) - exponent * static_cast<double>(k) * log_base) >
        10 * sharp)
      return {};
  return std::exp(log_base);
}

// Bases between which no cell of the probes is off by more than its bound, linear in ln(base) about
// one that is nearly right: in a short type narrower than any average of the cells. Nothing where
// some cell leaves none.
std::optional<TidyNumber> tidiest_base(const RotationObservation& observation,
                                       const RotationHypothesis& hypothesis, double base) {
  constexpr double step = 1e-7;
  const auto here = remade(observation, hypothesis, {{"base", base}}),
             there = remade(observation, hypothesis, {{"base", base * std::exp(step)}});
  if (!here || !there) return {};
  double low = -HUGE_VAL, high = HUGE_VAL;
  const auto narrow = [&](double got, double meant, double moved, double allowed) {
    const double slope = (moved - meant) / step;
    if (!(std::fabs(slope) > 1e-3) || std::isinf(allowed)) return;
    const double middle = (got - meant) / slope, either = allowed / std::fabs(slope);
    low = std::max(low, middle - either);
    high = std::min(high, middle + either);
  };
  const std::size_t n = observation.pairs();
  const RotationPrediction prediction = observation.prediction(*here),
                           beside = observation.prediction(*there);
  std::vector<double> c(n), s(n), bound(n), moved_c(n), moved_s(n), unused(n);
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    prediction.row(observation.rows()[i], c, s, bound);
    beside.row(observation.rows()[i], moved_c, moved_s, unused);
    for (std::size_t j = 0; j < n; ++j) {
      const double allowed = bound[j] + observation.slack(i, j);
      if (observation.has_cosine())
        narrow(observation.cosine(i, j), c[j], moved_c[j], allowed + prediction.rounding(c[j]));
      if (observation.has_sine())
        narrow(observation.sine(i, j), s[j], moved_s[j], allowed + prediction.rounding(s[j]));
    }
  }
  if (!(low <= high) || !(std::max(-low, high) < 1e-3)) return {};
  return tidiest_between(base * std::exp(low), base * std::exp(high));
}

// The same of frequencies alone, those that a scaling bends included: Newton's steps to where all
// of them are nearest to what was measured, and the bases about it that all of them allow.
// `share`: of the errors' bounds.
std::optional<TidyNumber> tidiest_base_of_frequencies(const RotationObservation& observation,
                                                      const RotationHypothesis& hypothesis,
                                                      double base, double share) {
  constexpr double step = 1e-7;
  constexpr int most_steps = 5;
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.errors_from_rule(hypothesis);
  for (int i = 0;; ++i) {
    const auto here = remade(observation, hypothesis, {{"base", base}}),
               there = remade(observation, hypothesis, {{"base", base * std::exp(step)}});
    if (!here || !there) return {};
    double low = -HUGE_VAL, high = HUGE_VAL, sum = 0, weight = 0;
    for (std::size_t j = 0; j < measured.size(); ++j) {
      const double slope = std::log(there->frequencies[j] / here->frequencies[j]) / step,
                   error = share * errors[j] / measured[j];
      if (!(measured[j] > 0) || !(error > 0) || !(std::fabs(slope) > 1e-3)) continue;
      const double off = std::log(measured[j] / here->frequencies[j]) / slope,
                   either = error / std::fabs(slope);
      low = std::max(low, off - either);
      high = std::min(high, off + either);
      sum += off / (either * either);
      weight += 1 / (either * either);
    }
    if (!(weight > 0) || !(std::fabs(sum / weight) < 1)) return {};
    if (i == most_steps) {
      if (!(low <= high)) return {};
      return tidiest_between(base * std::exp(low), base * std::exp(high));
    }
    base *= std::exp(sum / weight);
  }
}

// How far the frequencies of a base lie from those that were measured, in logarithms, no pair more
// than 1 and each known pair as much as another; infinite where there is no such ladder.
double distance_at(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                   double base, std::span<const double> measured) {
  const auto here = remade(observation, hypothesis, {{"base", base}});
  if (!here) return HUGE_VAL;
  double sum = 0;
  for (std::size_t j = 0; j < measured.size(); ++j)
    if (measured[j] > 0)
      sum += std::min(1.0, std::fabs(std::log(measured[j] / here->frequencies[j])));
  return sum;
}

// The base nearest to what was measured, of a scaling that bends all pairs that tell it, each by
// what the base that is sought makes of it: sought over all that anybody has, and then by thirds.
std::optional<double> base_by_search(const RotationObservation& observation,
                                     const RotationHypothesis& hypothesis,
                                     std::span<const double> fitted) {
  constexpr double least = 100, most = 1e9, first_step = 1.5, close = 1e-3, done = 1e-9;
  const auto errors = observation.errors_from_rule(hypothesis);
  std::vector<double> measured = observation.measured(hypothesis);
  for (std::size_t j = 0; j < measured.size(); ++j)
    if (!(errors[j] < 0.1 * measured[j])) measured[j] = 0;
  const auto known =
      std::ranges::count_if(measured, [](double frequency) { return frequency > 0; });
  const auto at = [&](double log_base) {
    return distance_at(observation, hypothesis, std::exp(log_base), measured);
  };
  const auto is_close = [&](double distance) {
    return distance < close * static_cast<double>(known);
  };
  if (known < 4 || !is_scaled(observation, hypothesis) || !hypothesis.axis.empty() ||
      std::ranges::any_of(fitted, [&](double base) { return is_close(at(std::log(base))); }))
    return {};
  double best = 0, distance = HUGE_VAL, step = std::log(first_step);
  for (double one = std::log(least); one < std::log(most); one += step)
    if (const double here = at(one); here < distance) {
      best = one;
      distance = here;
    }
  for (; step > done; step /= 3)
    for (const double one :
         {best - 2 * step / 3, best - step / 3, best + step / 3, best + 2 * step / 3})
      if (const double here = at(one); here < distance) {
        best = one;
        distance = here;
      }
  return is_close(distance) ? std::optional(std::exp(best)) : std::nullopt;
}

}  // namespace

RotationProposals other_base(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  RotationProposals all;
  std::set<double> tried{number_of(observation, hypothesis, "base")};
  std::string is_meant = meant(observation, "base");
  if (is_meant == "the default")
    if (const auto base = meant_base_of_axes(observation, hypothesis))
      is_meant = fmt::format("{:.6g}", *base);
  const auto propose = [&](double value, double cost) {
    if (!tried.insert(value).second) return;
    if (auto other = remade(observation, hypothesis, {{"base", value}}))
      all.push_back(
          {*other, fmt::format("base {}, where {} is meant", spell_number(value), is_meant), cost});
  };
  std::vector<double> bases = fitted_bases(observation, hypothesis);
  if (const auto sought = base_by_search(observation, hypothesis, bases)) bases.push_back(*sought);
  for (const double fitted : bases) {
    if (!(fitted > 1) || !(fitted < 1e12)) continue;
    for (const int digits : {1, 2, 3, 4, 5, 6, 7, 8})
      propose(to_digits(fitted, digits), 1.05 + 0.01 * digits);
    propose(to_digits(fitted, 9), 1.25);
    const auto propose_tidy = [&](const std::optional<TidyNumber>& tidy) {
      if (tidy) propose(tidy->value, 1.05 + std::min(tidy->cost, 0.2));
    };
    if (!by_frequencies(observation, hypothesis))
      propose_tidy(tidiest_base(observation, hypothesis, fitted));
    else  // half of a bound is what one rounding takes
      for (const double share : {0.5, 1.0})
        propose_tidy(tidiest_base_of_frequencies(observation, hypothesis, fitted, share));
  }
  if (const auto other = base_in_any_order(observation, hypothesis))
    for (const int digits : {1, 2, 3, 4, 5, 6}) propose(to_digits(*other, digits), 1.1);
  // Bases in use (the catalogue's models), for ladders whose first pairs tell nothing.
  for (const double known :
       {1e4, 1e6, 5e5, 2.5e4, 5e4, 1e5, 1.3e5, 1.5e5, 1.6e5, 2.5e5, 6.4e5, 2e6, 5e6, 8e6, 1e7})
    propose(known, 1);
  if (!hypothesis.axis.empty())  // no fit along several axes
    for (const double known : {20, 100, 1000}) propose(known, 1.05);
  return all;
}

}  // namespace pe
