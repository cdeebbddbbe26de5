// Causes of the ladder: base, denominator and exponent of θ_j = base^(−2j/d).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "pe/diagnosis/rotations/propose/fitted.hpp"

namespace pe {
namespace {

// The hypothesis with frequencies of another ladder, bent by the same ratios. Beside another base
// this would be no ladder's.
RotationHypothesis bent(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis,
                        const std::function<double(std::size_t j)>& plain) {
  RotationHypothesis other = hypothesis;
  const std::vector<double>& unscaled = observation.truth().unscaled;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j) {
    const double ratio =
        j < unscaled.size() && unscaled[j] > 0 ? hypothesis.frequencies[j] / unscaled[j] : 1;
    other.frequencies[j] = plain(j) * ratio;
  }
  return other;
}

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

// Least squares of what is left of cosines and sines, the angle of pair j at row p moving by
// −p·θ_j·(2j/d) for each unit of ln(base); rows farther and farther out, so that what is left stays
// within a radian.
double refined(const RotationObservation& observation, const RotationHypothesis& hypothesis,
               std::span<const double> ratios, double base, double exponent, std::size_t pairs) {
  constexpr double near = 0.8;
  const double scale = hypothesis.frequencies[0] / observation.truth().unscaled[0];
  if (!observation.has_rows()) {  // of the frequencies' own logarithms
    double sum = 0, weight = 0;
    for (std::size_t j = 1; j < pairs; ++j)
      if (const double e = exponent * static_cast<double>(j),
          ratio = observation.measured()[j] / scale / ratios[j];
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
      for (std::size_t j = 1; j < pairs; ++j) {
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

// The base that the measured frequencies have along the pairs that no scaling tells apart.
double fitted_base(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  const std::vector<double>&f = hypothesis.frequencies, &unscaled = observation.truth().unscaled,
        measured = observation.measured(hypothesis);
  const double base = number_of(observation, hypothesis, "base");
  if (!(base > 0) || f.size() < 2 || unscaled.size() < f.size() || unscaled[1] <= 0) return 0;
  const double exponent = std::log(unscaled[1]) / std::log(base);  // −2/d
  const std::vector<double> ratios = ratios_of(observation, hypothesis);
  // A scaling that changes the base alone leaves a ladder of another base, `as_if`.
  const double as_if = std::pow(f[1] / f[0], 1 / exponent);
  bool geometric = true;
  for (std::size_t j = 2; j < f.size(); ++j)
    geometric = geometric && std::fabs(f[j] * f[0] / (f[j - 1] * f[1]) - 1) < 1e-9;
  std::size_t equal = 1;
  double fitted = 0, sharpest = 0;  // an error of a frequency moves the base by 1/(j·θ_j) of it
  for (std::size_t j = 1; j < f.size(); ++j) {
    const double as_first = ratios[j] * f[0] / unscaled[0];
    if (!geometric && std::fabs(f[j] / unscaled[j] - as_first) > 1e-9 * as_first) break;
    if (!(measured[j] > 0) || !(measured[0] > 0)) break;
    const double value =
        std::pow(measured[j] / ratios[j] / measured[0], 1 / (exponent * static_cast<double>(j)));
    equal = j + 1;
    const double sharpness = static_cast<double>(j) * measured[j];
    if (std::isfinite(value) && value > 0 && sharpness > sharpest) {
      fitted = value;
      sharpest = sharpness;
    }
  }
  if (!(fitted > 0)) return 0;
  return refined(observation, hypothesis, ratios, fitted, exponent, equal) *
         (geometric ? base / as_if : 1);
}

RotationProposals base(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  RotationProposals all;
  std::set<double> tried{number_of(observation, hypothesis, "base")};
  const auto propose = [&](double value, double cost) {
    if (!tried.insert(value).second) return;
    if (auto other = remade(observation, hypothesis, {{"base", value}}))
      all.push_back({*other,
                     fmt::format("base {}, where {} is meant", spell_number(value),
                                 meant(observation, "base")),
                     cost});
  };
  if (const double fitted = fitted_base(observation, hypothesis); fitted > 1 && fitted < 1e12) {
    for (const int digits : {1, 2, 3, 4, 5, 6, 7, 8})
      propose(to_digits(fitted, digits), 1.05 + 0.01 * digits);
    propose(to_digits(fitted, 9), 1.25);
  }
  // Bases in use (the catalogue's models), for ladders whose first pairs tell nothing.
  for (const double known :
       {1e4, 1e6, 5e5, 2.5e4, 5e4, 1e5, 1.3e5, 1.5e5, 1.6e5, 2.5e5, 6.4e5, 2e6, 5e6, 8e6, 1e7})
    propose(known, 1);
  if (!hypothesis.axis.empty())  // no fit along several axes
    for (const double known : {20, 100, 1000}) propose(known, 1.05);
  return all;
}

// The same, and where the rule that is meant asks each frequency for its wavelength, what it makes
// of the other ladder.
void add_ladder(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                const std::function<double(std::size_t j)>& plain, const std::string& sentence,
                double cost, RotationProposals& all) {
  all.push_back({bent(observation, hypothesis, plain), sentence, cost});
  const std::string rule = word_of(observation, hypothesis, "scaling");
  if (rule.empty() || rule == "none") return;
  auto ladder =
      measured_ladder(observation, hypothesis, number_of(observation, hypothesis, "base"));
  if (!ladder) return;
  for (std::size_t j = 0; j < ladder->plain.frequencies.size(); ++j)
    ladder->plain.frequencies[j] = plain(j);
  const auto scaled = sketched(find_scaling(rule), *ladder, ladder->context);
  if (!scaled || scaled->frequencies.size() != hypothesis.frequencies.size()) return;
  all.push_back({hypothesis, sentence, cost + 0.01});
  all.back().hypothesis.frequencies = scaled->frequencies;
}

RotationProposals exponent(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  const std::vector<double>& unscaled = observation.truth().unscaled;
  RotationProposals all;
  if (unscaled.size() < 2 || unscaled[1] <= 0) return all;
  for (const int shift : {1, 2, -1, -2}) {
    const double factor = std::pow(unscaled[1], 0.5 * shift);
    add_ladder(
        observation, hypothesis, [&](std::size_t j) { return unscaled[j] * factor; },
        fmt::format("exponents are 2j{:+} over d, where 2j is meant", shift), 1, all);
  }
  return all;
}

RotationProposals denominator(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  const std::vector<double>& unscaled = observation.truth().unscaled;
  RotationProposals all;
  const auto n = static_cast<double>(observation.pairs()),
             dim = static_cast<double>(observation.truth().dim);
  if (observation.pairs() < 2 || unscaled.size() < observation.pairs() ||
      observation.expected().encoding->kind != Kind::rotation)
    return all;
  std::set<double> tried{1.0, 0.0};
  const auto propose = [&](double ratio,
                           const std::string& what) {  // ratio: d over the denominator
    if (!std::isfinite(ratio) || !tried.insert(ratio).second) return;
    add_ladder(
        observation, hypothesis, [&](std::size_t j) { return std::pow(unscaled[j], ratio); },
        fmt::format("exponents are 2j over {}, where {:g} is meant", what, 2 * n), 1.04, all);
  };
  propose(2 * n / dim, fmt::format("{:g}, the whole head", dim));
  if (const double whole = number_of(observation, hypothesis, "dim"); whole > 0)
    propose(2 * n / whole, fmt::format("{:g}, the whole head", whole));
  if (const double part = number_of(observation, hypothesis, "partial-rotary-factor"); part > 0)
    propose(1 / part, fmt::format("{:g}, the part that turns", 2 * n * part));
  propose(dim / (2 * n), fmt::format("{:g}", 4 * n * n / dim));
  propose(n / (n - 1), fmt::format("{:g} (pairs less one)", 2 * n - 2));
  propose(2, fmt::format("{:g}, the number of pairs", n));
  propose(0.5, fmt::format("{:g}, twice the channels", 4 * n));
  propose(2 * n, "1: they are not divided");
  return all;
}

// Sinusoids: timescales from both ends included (pairs − 1 in the denominator), or the last left
// out.
RotationProposals ladder(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  RotationProposals all;
  if (observation.expected().encoding->kind != Kind::table) return all;
  for (const char* name : {"endpoint", "paper", "endpoint-times-min"}) {
    const std::string now = word_of(observation, hypothesis, "ladder");
    if (now.empty() || now == name) continue;
    if (auto other = remade(observation, hypothesis, {{"ladder", std::string(name)}}))
      all.push_back(
          {*other,
           fmt::format(
               "the ladder of frequencies is '{}', where {} is meant: the denominator is another",
               name, meant(observation, "ladder"))});
  }
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const auto n = static_cast<double>(observation.pairs());
  if (observation.pairs() < 3) return all;
  for (const auto& [ratio, what] : {std::pair{n / (n - 1), "pairs less one"},
                                    {(n - 1) / n, "pairs, both ends not reached"},
                                    {2.0, "half the channels"},
                                    {0.5, "twice the channels"},
                                    {2 * n, "1, they are not divided"}})
    all.push_back({bent(observation, hypothesis,
                        [&, ratio = ratio](std::size_t j) { return std::pow(unscaled[j], ratio); }),
                   fmt::format("the denominator of the exponents is another: {}", what), 1.05});
  return all;
}

RotationProposals inverted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  const std::vector<double>& unscaled = observation.truth().unscaled;
  RotationHypothesis plain = hypothesis;
  for (double& f : plain.frequencies) f = f > 0 ? 1 / f : 0;
  return {
      {plain,
       "frequencies are inverted: periods stand in their place, and pairs turn faster and faster"},
      {bent(observation, hypothesis,
            [&](std::size_t j) { return unscaled[j] > 0 ? 1 / unscaled[j] : 0; }),
       "frequencies are base^(+2j/d): the power was inverted twice, and faster pairs follow slower "
       "ones"}};
}

RotationProposals reversed(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (hypothesis.frequencies.size() < 2 || !hypothesis.axis.empty()) return {};
  RotationHypothesis other = hypothesis;
  std::ranges::reverse(other.frequencies);
  other.angle_ulps = observation.truth().growth;
  other.angle_ulps.resize(other.frequencies.size(), 16);
  std::ranges::reverse(other.angle_ulps);
  return {{other, "pairs stand from the last frequency to the first"}};
}

RotationProposals equal(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  if (hypothesis.changes.contains("base")) return {};
  RotationProposals all;
  RotationHypothesis ones = hypothesis;
  std::ranges::fill(ones.frequencies, 1.0);
  all.push_back({ones,
                 "every pair turns by one radian a position: the exponent was rounded to 0, as a "
                 "division of integers does"});
  all.push_back({bent(observation, hypothesis, [](std::size_t) { return 1.0; }),
                 "every pair turns by one radian a position: the exponent was rounded to 0, as a "
                 "division of integers does"});
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const double n = static_cast<double>(observation.pairs());
  all.push_back(
      {bent(observation, hypothesis,
            [&](std::size_t j) { return 2 * static_cast<double>(j) >= n ? unscaled[0] : 1.0; }),
       "exponents are whole numbers", 1.3});
  return all;
}

RotationProposals uninitialised(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  if (observation.has_rows()) return {};
  Proposal<RotationHypothesis> one{hypothesis, ""};
  one.hypothesis.free_pairs.assign(observation.pairs(), 0);
  // Of what is meant as much as of the hypothesis: an inverted ladder makes frequencies wild.
  const auto& meant = observation.truth().frequencies;
  const double highest =
                   std::max(std::ranges::max(hypothesis.frequencies), std::ranges::max(meant)),
               lowest = std::min(std::ranges::min(hypothesis.frequencies), std::ranges::min(meant));
  std::size_t odd = 0, wild = 0, first = observation.pairs();
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    const double f = observation.measured()[j];
    if (std::fabs(f - hypothesis.frequencies[j]) <= 0.02 * hypothesis.frequencies[j]) continue;
    wild += !(f <= highest * 1e3) || !(f >= lowest * 1e-3);
    one.hypothesis.free_pairs[j] = 1;
    ++odd;
    first = std::min(first, j);
  }
  if (3 * wild < odd || wild == 0)
    return {};  // other formulas err by less than a thousand times, in most of their pairs
  one.sentence = fmt::format(
      "{} of {} frequencies are no frequencies, the first of them pair {}: {:.4g}; memory that was "
      "never written looks so",
      odd, observation.pairs(), first, observation.measured()[first]);
  one.cost = 2.9;  // frequencies that are excused are not explained: any two causes go before
  return {one};
}

constexpr RotationProposer rows[] = {
    {Cause::wrong_base, "base", base},
    {Cause::wrong_denominator, "ladder", denominator},
    {Cause::wrong_ladder, "ladder", ladder},
    {Cause::exponent_shifted, "ladder", exponent},
    {Cause::frequencies_inverted, "ladder", inverted},
    {Cause::frequencies_reversed, "order of pairs", reversed},
    {Cause::frequencies_equal, "ladder", equal},
    {Cause::uninitialised, "rows", uninitialised},
};

}  // namespace

std::span<const RotationProposer> ladder_causes() { return rows; }

}  // namespace pe
