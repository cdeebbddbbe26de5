// The base from frequencies, or from what is left of cosines and sines.
#include "pe/diagnosis/rotations/propose/base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/known_bases.hpp"
#include "pe/diagnosis/rotations/propose/alternatives.hpp"
#include "pe/diagnosis/rotations/propose/fitted.hpp"
#include "pe/diagnosis/rotations/propose/fitted_bases.hpp"

namespace pe {
namespace {

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
    if (!(low <= high)) return {};
  }
  if (!(std::max(-low, high) < 1e-3)) return {};
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

// The frequencies over another base: as the rule that is meant sketches them, else of the effect
// made again; empty where there is no such ladder.
std::function<std::vector<double>(double base)> frequencies_over(
    const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  const Scaling* scaling = meant_scaling(observation);
  const auto measured = measured_ladder(observation, hypothesis, meant_base(observation));
  if (!scaling || !measured)
    return [&](double base) {
      const auto here = remade(observation, hypothesis, {{"base", base}});
      return here ? here->frequencies : std::vector<double>();
    };
  return [scaling, over = *measured](double base) mutable {
    over.plain =
        geometric_ladder(base, over.plain.dim, static_cast<Index>(over.frequencies.size()));
    const auto ladder = sketched(*scaling, over, over.context);
    return ladder ? ladder->frequencies : std::vector<double>();
  };
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
  const auto over = frequencies_over(observation, hypothesis);
  // How far they lie from those that were measured, in logarithms, no pair more than 1 and each
  // known pair as much as another.
  const auto at = [&](double log_base) {
    const std::vector<double> here = over(std::exp(log_base));
    double sum = here.empty() ? HUGE_VAL : 0;
    for (std::size_t j = 0; j < here.size(); ++j)
      if (measured[j] > 0) sum += std::min(1.0, std::fabs(std::log(measured[j] / here[j])));
    return sum;
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
  // Half a step off moves no frequency by more than that, but for what ramps add.
  if (!(distance < step * static_cast<double>(known))) return {};
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
  // Bases in use, for ladders whose first pairs tell nothing.
  for (const double known : known_bases) propose(known, 1);
  if (!hypothesis.axis.empty())  // no fit along several axes
    for (const double known : {20, 100, 1000}) propose(known, 1.05);
  return all;
}

}  // namespace pe
