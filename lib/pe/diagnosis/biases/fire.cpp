// FIRE with its argument by another formula, or behind another output layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pe/diagnosis/biases/activations.hpp"
#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/model/perceptron.hpp"

namespace pe {
namespace {

struct Fire {
  double c = 0, threshold = 0, eps = 0;
  std::shared_ptr<const Perceptron> perceptron;
};

std::optional<Fire> fire_of(const BiasObservation& observation) {
  const Parameters& parameters = observation.expected->parameters;
  if (observation.expected->encoding->name != "fire") return {};
  Fire fire{.c = parameters.number("c").value(),
            .threshold = parameters.number("threshold").value(),
            .eps = parameters.number("eps").value(),
            .perceptron = {}};
  fire.perceptron = std::make_shared<const Perceptron>(parameters, 1, parameters.integer("hidden"),
                                                       parameters.integer("heads"), true);
  return fire;
}

double psi(double c, double x) { return std::log1p(c * x); }

}  // namespace

BiasProposals offer_arguments(const BiasObservation& observation,
                              const BiasHypothesis& hypothesis) {
  if (!is_first(observation, hypothesis)) return {};
  const auto fire = fire_of(observation);
  if (!fire) return {};
  const double c = fire->c, threshold = fire->threshold, eps = fire->eps;
  const auto perceptron = fire->perceptron;
  using Argument = std::function<double(double query, double distance)>;
  const auto by_key = [&](std::function<double(double query, double key)> argument) {
    return of_pairs(hypothesis, [perceptron, argument = std::move(argument)](
                                    Index head, std::int64_t query, std::int64_t key) {
      const double x = argument(static_cast<double>(query), static_cast<double>(key));
      return (*perceptron)(head, std::span(&x, 1));
    });
  };
  const auto with = [&](Argument argument) {
    return of_pairs(hypothesis, [perceptron, argument = std::move(argument)](
                                    Index head, std::int64_t query, std::int64_t key) {
      const double x =
          argument(static_cast<double>(query), static_cast<double>(std::abs(query - key)));
      return (*perceptron)(head, std::span(&x, 1));
    });
  };
  const auto farthest = [threshold](double query) { return std::max(threshold, std::fabs(query)); };
  const auto last = static_cast<double>(observation.shape.last_key());
  BiasProposals proposals;
  for (const int more : {1, -1})
    proposals.push_back(
        {with([=](double query, double d) {
           return psi(c, std::max(d + more, 0.0)) / (psi(c, farthest(query)) + eps);
         }),
         fmt::format("every distance is counted as one {}, and the normaliser is not",
                     more > 0 ? "more" : "less"),
         1, Cause::bias_distance});
  const auto offer = [&](const char* sentence, Argument argument) {
    proposals.push_back({with(std::move(argument)), sentence, 1});
  };
  offer("the normaliser is that of query + 1: queries are counted from 1",
        [=](double query, double d) { return psi(c, d) / (psi(c, farthest(query + 1)) + eps); });
  offer("the normaliser is that of max(threshold, query) + 1",
        [=](double query, double d) { return psi(c, d) / (psi(c, farthest(query) + 1) + eps); });
  offer("the normaliser has no logarithm: the distance's is divided by max(threshold, query)",
        [=](double query, double d) { return psi(c, d) / (farthest(query) + eps); });
  offer("the normaliser has no logarithm: it is 1 + c*max(threshold, query)",
        [=](double query, double d) { return psi(c, d) / (1 + c * farthest(query) + eps); });
  offer("there is no logarithm: the argument is distance/max(threshold, query)",
        [=](double query, double d) { return d / (farthest(query) + eps); });
  offer("there is no threshold: queries before it are normalised by themselves",
        [=](double query, double d) { return psi(c, d) / (psi(c, std::fabs(query)) + eps); });
  offer("every query is normalised as the last one",
        [=](double, double d) { return psi(c, d) / (psi(c, std::max(threshold, last)) + eps); });
  offer("every query is normalised by the threshold",
        [=](double, double d) { return psi(c, d) / (psi(c, threshold) + eps); });
  offer("there is no normaliser", [=](double, double d) { return psi(c, d); });
  proposals.push_back({by_key([=](double query, double key) {
                         return psi(c, std::fabs(query - key)) / (psi(c, farthest(key)) + eps);
                       }),
                       "every distance is normalised by the key, not by the query", 1});
  for (const ActivationFormula& other : other_activations)
    proposals.push_back(
        {of_pairs(hypothesis,
                  [=, activation = other.of](Index head, std::int64_t query, std::int64_t key) {
                    const double normaliser = psi(c, farthest(static_cast<double>(query))) + eps,
                                 x = psi(c, static_cast<double>(std::abs(query - key))) /
                                     normaliser;
                    return (*perceptron)(head, std::span(&x, 1), activation);
                  }),
         fmt::format("hidden units go through {}, where ReLU is meant", other.name), 1});
  return proposals;
}

namespace {

// Arguments at which a hidden unit begins or ends; between two of them every output is a line.
std::vector<double> kinks_of(const Parameters& parameters) {
  const Array &weight = parameters.tensor("hidden-weight"),
              &shift = parameters.tensor("hidden-bias");
  std::vector<double> kinks;
  for (Index unit = 0; unit < shift.size(); ++unit)
    if (weight.at(unit) != 0) kinks.push_back(-shift.at(unit) / weight.at(unit));
  std::ranges::sort(kinks);
  return kinks;
}

struct Seen {
  double argument, got, allowed;
};

// Whether places, in the order of their arguments, lie on the line through the first and the last.
bool are_on_a_line(std::span<const Seen> places) {
  const Seen &first = places.front(), &last = places.back();
  const double width = last.argument - first.argument;
  return std::ranges::all_of(places, [&](const Seen& one) {
    const double part = width > 0 ? (one.argument - first.argument) / width : 0;
    return std::fabs(one.got - first.got - part * (last.got - first.got)) <= 2 * one.allowed;
  });
}

// Whether one head's places are lines between kinks, and many more than it takes to draw these.
bool is_of_units(std::vector<Seen> places, const std::vector<double>& kinks) {
  std::ranges::sort(places, {}, &Seen::argument);
  Index needed = 0, distinct = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    distinct += i == 0 || places[i].argument - places[i - 1].argument > 1e-9;
  for (std::size_t from = 0; from < places.size();) {
    const auto end = std::ranges::upper_bound(kinks, places[from].argument);
    std::size_t to = from + 1;
    while (to < places.size() && (end == kinks.end() || places[to].argument <= *end)) ++to;
    if (!are_on_a_line({places.data() + from, to - from})) return false;
    needed += 2;
    from = to;
  }
  return distinct >= needed + 8;
}

}  // namespace

bool has_other_output(const BiasObservation& observation) {
  const Parameters& parameters = observation.expected->parameters;
  const auto fire = fire_of(observation);
  if (!fire || !parameters.has("hidden-weight") || !parameters.has("hidden-bias")) return false;
  std::map<Index, std::vector<Seen>> places;  // of each head
  for (const BiasObservation::Probe& probe : observation.probes) {
    const std::vector<char>& hidden = probe.hidden;
    std::size_t k = 0;
    for (const PositionRange& run : probe.runs)
      for (Index i = 0; i < run.count; ++i, ++k) {
        const double got = probe.got[k];
        if (hidden[k] || observation.is_later(probe.query, run.at(i))) continue;
        if (!std::isfinite(got)) return false;
        const auto distance = static_cast<double>(std::abs(probe.query - run.at(i)));
        const double normaliser =
            psi(fire->c, std::max(fire->threshold, std::fabs(static_cast<double>(probe.query)))) +
            fire->eps;
        places[probe.plane % observation.shape.heads].push_back(
            {psi(fire->c, distance) / normaliser, got,
             observation.allowed(observation.base, probe.plane, got, got, 0, distance)});
      }
  }
  const std::vector<double> kinks = kinks_of(parameters);
  return !places.empty() && std::ranges::all_of(places, [&](const auto& one) {
    return is_of_units(one.second, kinks);
  });
}

}  // namespace pe
