// Biases that are a formula, with a term of it left out, or with a number that was fitted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/base/kept.hpp"
#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/other_settings.hpp"

namespace pe {

bool is_first(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  return hypothesis.bias == observation.bias && hypothesis.scale == 1 && hypothesis.farther == 0 &&
         hypothesis.query_shift == 0 && !hypothesis.transposed && !hypothesis.zero_later &&
         !hypothesis.zero_from && !hypothesis.zero_rows &&
         hypothesis.masked == observation.base.masked && !hypothesis.storage &&
         hypothesis.heads == observation.base.heads;
}

BiasHypothesis of_pairs(const BiasHypothesis& hypothesis, PairValue value) {
  auto bias = std::make_shared<Bias>(*hypothesis.bias);
  bias->fill = [value = std::move(value), causal = bias->causal](Index head, std::int64_t query,
                                                                 const PositionRange& keys, DType,
                                                                 std::byte* out) {
    auto* values = reinterpret_cast<double*>(out);
    for (Index i = 0; i < keys.count; ++i)
      values[i] = causal && keys.at(i) > query ? -HUGE_VAL : value(head, query, keys.at(i));
  };
  BiasHypothesis made = hypothesis;
  made.bias = std::move(bias);
  return made;
}

// Proposals are evaluated as f64.
BiasHypothesis of_values(const BiasHypothesis& hypothesis,
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

namespace {

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
      if (const double value = to_digits(found, digits); value != meant && agrees(value))
        return value;
    return {};
  }

 private:
  const BiasObservation& observation_;
  const BiasHypothesis& hypothesis_;
  std::string name_;
};

}  // namespace

namespace {

// The bias of Sandwich with its sum from i = 0, and each head divided by another number.
BiasHypothesis summed(const BiasHypothesis& hypothesis, double base, bool from_zero,
                      std::function<double(Index head)> ratio, std::vector<double> meant_ratio) {
  const double last = 1 / base;
  return of_values(hypothesis, [=](Index head, double distance, double meant) {
    const double more = from_zero ? std::cos(distance) - std::cos(distance * last) : 0;
    return (meant * meant_ratio[static_cast<std::size_t>(head)] + more) / ratio(head);
  });
}

}  // namespace

BiasProposals offer_sums(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  const std::vector<double> compression = compression_of(*observation.bias);
  BiasHypothesis plain = hypothesis;  // signs and orders of heads may stand beside it
  plain.scale = 1;
  plain.heads = observation.base.heads;
  if (compression.empty() || !is_first(observation, plain)) return {};
  const Index heads = observation.bias->heads;
  const double base = observation.expected->parameters.number("base").value();
  const auto meant = [compression](Index head) {
    return compression[static_cast<std::size_t>(head)];
  };
  const std::string from_zero =
      "the sum over frequencies runs from i = 0, where it is to begin at 1";
  BiasProposals proposals = {{summed(hypothesis, base, true, meant, compression), from_zero, 1}};
  const double step = 8 / static_cast<double>(heads);
  struct Other {
    std::function<double(Index head)> ratio;
    std::string sentence;
  };
  const Other others[] = {
      {[](Index) { return 1.0; }, "every head holds the common sum: none is compressed"},
      {[](Index) { return 8.0; }, "every head is compressed as the last one"},
      {[=](Index head) { return step * (static_cast<double>(head) + 0.5); },
       fmt::format("head h, from 0, is divided by 8(h + 1/2)/{0}, where 8(h + 1)/{0} is meant",
                   heads)},
      {[=](Index head) { return step * static_cast<double>(std::max<Index>(head, 1)); },
       fmt::format("head h, from 0, is divided by 8h/{0}, where 8(h + 1)/{0} is meant", heads)},
      {[=](Index head) { return step * (static_cast<double>(head) + 2); },
       fmt::format("head h, from 0, is divided by 8(h + 2)/{0}, where 8(h + 1)/{0} is meant",
                   heads)},
      {[](Index head) { return static_cast<double>(head + 1); },
       fmt::format("head h, from 0, is divided by h + 1, where 8(h + 1)/{} is meant", heads)},
      {[=](Index head) { return 1 / (step * static_cast<double>(head + 1)); },
       "the sum is multiplied by the head's compression, where it is to be divided by it"},
      {[=](Index head) { return std::exp2(step * static_cast<double>(head + 1)); },
       "the sum is multiplied by ALiBi's slopes, where it is to be divided by the head's "
       "compression"}};
  for (const Other& other : others) {
    proposals.push_back(
        {summed(hypothesis, base, false, other.ratio, compression), other.sentence, 1.01});
    proposals.push_back({summed(hypothesis, base, true, other.ratio, compression),
                         other.sentence + "; and " + from_zero, 2.01});
  }
  if (!is_first(observation, hypothesis)) return proposals;
  const auto turned = [=](Index head) { return step * static_cast<double>(heads - head); };
  proposals.push_back({summed(hypothesis, base, true, turned, compression),
                       "the heads are in reverse order; and " + from_zero, 2,
                       Cause::heads_permuted});
  for (OtherSetting& setting : other_settings(*observation.expected)) {
    Bias* const bias = std::get_if<Bias>(&setting.made.effect);
    if (!bias || bias->heads != heads) continue;
    const double other_base = setting.made.parameters.number("base").value();
    BiasHypothesis other = hypothesis;
    other.bias = std::make_shared<const Bias>(std::move(*bias));
    proposals.push_back({summed(other, other_base, true, meant, compression),
                         setting.sentence + "; and " + from_zero, 2.1});
  }
  return proposals;
}

BiasProposals offer_exchanged(const BiasObservation& observation,
                              const BiasHypothesis& hypothesis) {
  const auto& series = observation.bias->series;
  if (series.size() != 2 || series[0].name != "r1" || series[1].name != "r2" ||
      !is_first(observation, hypothesis))
    return {};
  std::vector<double> r1, r2;
  for (const Real& value : series[0].values) r1.push_back(to_double(value));
  for (const Real& value : series[1].values) r2.push_back(to_double(value));
  const bool power = observation.expected->parameters.choice("kernel") == "power";
  const auto log_of = [](double a, double b, double d) { return -a * std::log1p(b * d); };
  const auto power_of = [](double a, double b, double d) {
    return d == 0 ? 0 : -a * std::pow(d, b);
  };
  const auto offer = [&](bool as_power, bool exchanged) {
    return of_values(hypothesis, [=](Index head, double distance, double) {
      const auto h = static_cast<std::size_t>(head);
      const double a = exchanged ? r2[h] : r1[h], b = exchanged ? r1[h] : r2[h];
      return as_power ? power_of(a, b, distance) : log_of(a, b, distance);
    });
  };
  return {{offer(power, true), "r1 and r2 stand in each other's place", 1},
          {offer(!power, true),
           fmt::format("r1 and r2 stand in each other's place; and kernel {}, where {} is meant",
                       power ? "log" : "power", power ? "power" : "log"),
           2.1}};
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
