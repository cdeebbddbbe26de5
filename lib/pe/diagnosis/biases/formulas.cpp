// Biases that are a formula, with a term of it left out, or with a number that was fitted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

// The bias that is meant with another number in place of each finite one, of its head and its
// distance. Proposals are evaluated as f64.
BiasHypothesis remade(const BiasHypothesis& hypothesis,
                      std::function<double(Index head, double distance, double meant)> other) {
  auto bias = std::make_shared<Bias>(*hypothesis.bias);
  bias->fill = [fill = bias->fill, other = std::move(other)](Index head, std::int64_t query,
                                                             const PositionRange& keys, DType dtype,
                                                             std::byte* out) {
    fill(head, query, keys, dtype, out);
    auto* values = reinterpret_cast<double*>(out);
    for (Index i = 0; i < keys.count; ++i)
      if (std::isfinite(values[i]))
        values[i] = other(head, static_cast<double>(std::abs(query - keys.at(i))), values[i]);
  };
  BiasHypothesis made = hypothesis;
  made.bias = std::move(bias);
  return made;
}

// Nothing was told otherwise yet: what is fitted here takes too long to be tried beside all else.
bool is_first(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  return hypothesis.bias == observation.bias && hypothesis.scale == 1 && hypothesis.farther == 0 &&
         hypothesis.query_shift == 0 && !hypothesis.transposed && !hypothesis.zero_later &&
         !hypothesis.zero_from && hypothesis.masked == observation.base.masked &&
         !hypothesis.storage && hypothesis.heads == observation.base.heads;
}

// What each head of Sandwich divides the common sum by; empty where the bias is another.
std::vector<double> compression_of(const Bias& bias) {
  std::vector<double> all;
  for (const Series& series : bias.series)
    if (series.name == "compression")
      for (const Real& value : series.values) all.push_back(to_double(value));
  return all;
}

constexpr double usual[] = {1,    2,    4,    8,     16,    32,  64,   128, 256,
                            512,  1024, 2048, 4096,  8192,  10,  100,  1e3, 1e4,
                            0.01, 0.02, 0.05, 0.001, 0.005, 0.2, 0.25, 0.5, 0.3};

// How well one number of the encoding suits the probes.
class NumberFit {
 public:
  NumberFit(Kept<BiasObservation> observation, Kept<BiasHypothesis> hypothesis, std::string name)
      : observation_(observation), hypothesis_(hypothesis), name_(std::move(name)) {}

  std::optional<BiasHypothesis> at(double value) const {
    const auto made = observation_.expected->remake({{name_, value}});
    const Bias* bias = made ? std::get_if<Bias>(&made->effect) : nullptr;
    if (!bias || bias->heads != observation_.bias->heads) return {};
    BiasHypothesis other = hypothesis_;
    other.bias = std::make_shared<const Bias>(*bias);
    return other;
  }
  double residual(double value) const {
    const auto other = at(value);
    return other ? observation_.measure(*other).residual : HUGE_VAL;
  }
  bool agrees(double value) const {
    const auto other = at(value);
    return other && observation_.agrees(*other);
  }

  // A usual number; else the best place in the logarithm, 2^±12 about what is meant, by as few
  // digits as agree.
  std::optional<double> best(double meant) const {
    for (const double value : usual)
      if (value != meant && agrees(value)) return value;
    constexpr int steps = 2, doublings = 12;
    double least = HUGE_VAL, place = 0;
    for (int i = -doublings * steps; i <= doublings * steps; ++i) {
      const double value = meant * std::exp2(static_cast<double>(i) / steps);
      if (const double off = residual(value); off < least) {
        least = off;
        place = value;
      }
    }
    if (!(place > 0)) return {};
    double low = place / std::exp2(1.0 / steps), high = place * std::exp2(1.0 / steps);
    for (int step = 0; step < 48; ++step) {
      const double third = std::cbrt(high / low), left = low * third, right = high / third;
      if (residual(left) <= residual(right))
        high = right;
      else
        low = left;
    }
    const double found = std::sqrt(low * high);
    for (int digits = 1; digits < 10; ++digits)
      if (const double value = std::stod(fmt::format("{:.{}g}", found, digits));
          value != meant && agrees(value))
        return value;
    return {};
  }

 private:
  const BiasObservation& observation_;
  const BiasHypothesis& hypothesis_;
  std::string name_;
};

}  // namespace

BiasProposals offer_sums(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  const std::vector<double> compression = compression_of(*observation.bias);
  if (compression.empty() || !is_first(observation, hypothesis)) return {};
  const Parameters& parameters = observation.expected->parameters;
  const double last = std::pow(parameters.number("base").value(), -1);
  const auto ratio = [compression](Index head) {
    return compression[static_cast<std::size_t>(head)];
  };
  return {
      {remade(hypothesis,
              [=](Index head, double distance, double meant) {
                return meant + (std::cos(distance) - std::cos(distance * last)) / ratio(head);
              }),
       "the sum over frequencies runs from i = 0, where it is to begin at 1", 1},
      {remade(hypothesis, [=](Index head, double, double meant) { return meant * ratio(head); }),
       "every head holds the common sum: none is compressed", 1}};
}

BiasProposals offer_numbers(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  if (!observation.bias->argument || observation.bias->buckets || !observation.expected->remake ||
      !is_first(observation, hypothesis))
    return {};
  const Parameters& meant = observation.expected->parameters;
  BiasProposals proposals;
  for (const Parameter& parameter : observation.expected->encoding->parameters) {
    if (parameter.type != Parameter::Type::number || !meant.has(parameter.name)) continue;
    const double value = meant.number(parameter.name).value();
    const NumberFit fit(observation, hypothesis, parameter.name);
    const auto found = value > 0 ? fit.best(value) : std::nullopt;
    if (!found) continue;
    proposals.push_back({*fit.at(*found),
                         fmt::format("{} {:g}, where {} is meant", parameter.name, *found,
                                     meant.spell(parameter.name)),
                         1.15});
  }
  return proposals;
}

}  // namespace pe
