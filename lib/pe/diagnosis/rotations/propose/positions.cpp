// Causes of position: the place that a row stands for, found from its phases.
#include "pe/diagnosis/rotations/propose/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "pe/base/whole.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {

std::vector<ProbeSpot> places_of(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  std::vector<ProbeSpot> all;
  if (!observation.has_rows() || !hypothesis.axis.empty()) return all;
  const std::vector<double> implied = observation.implied_positions(hypothesis);
  for (std::size_t i = 0; i < implied.size(); ++i)
    if (!std::isnan(implied[i]))
      all.push_back(
          {observation.rows()[i], hypothesis.position(observation.rows()[i], 0), implied[i]});
  return all;
}

namespace {

template <typename Value>
double most_frequent(const std::vector<ProbeSpot>& all, Value value, double* share) {
  std::map<double, std::size_t> counts;
  for (const ProbeSpot& one : all)
    if (const double v = value(one); std::isfinite(v)) ++counts[v];
  const auto best =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  *share = counts.empty() ? 0 : static_cast<double>(best->second) / static_cast<double>(all.size());
  return counts.empty() ? 0 : best->first;
}

using Map = std::function<double(double position)>;

Proposal<RotationHypothesis> mapped(const RotationHypothesis& hypothesis, const Map& map,
                                    std::string sentence, double cost = 1) {
  RotationHypothesis other = hypothesis;
  other.position = [before = hypothesis.position, map](Index row, std::size_t axis) {
    return map(before(row, axis));
  };
  return {other, std::move(sentence), cost};
}

// Where positions are whole numbers they are found to a quarter; halves are met by engines that
// take the middle of a token.
double nearest_half(double x) { return std::round(2 * x) / 2; }

// The hypothesis with the frequencies that were measured, where those it has are not these: rows
// then tell where they stand even though their frequencies are wrong, too. Nothing otherwise.
std::optional<RotationHypothesis> with_measured(const RotationObservation& observation,
                                                const RotationHypothesis& hypothesis) {
  if (observation.reading().is_one_sided()) return {};
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.measured_errors(hypothesis);
  RotationHypothesis other = hypothesis;
  bool differs = false;
  for (std::size_t j = 0; j < measured.size(); ++j) {
    double& f = other.frequencies[j];
    if (!(measured[j] > 0) || !(errors[j] < 0.3 * measured[j])) continue;
    differs = differs || std::fabs(measured[j] - f) > errors[j];
    f = measured[j];
  }
  return differs ? std::optional(std::move(other)) : std::nullopt;
}

RotationProposals offset(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  RotationProposals some;
  const auto propose = [&](const std::vector<ProbeSpot>& all) {
    double share;
    const double k = most_frequent(
        all, [](const ProbeSpot& one) { return nearest_half(one.implied - one.meant); }, &share);
    const bool at_zero =
        std::ranges::all_of(all, [k](const ProbeSpot& one) { return one.meant + k == 0; });
    if (all.empty() || k == 0 || at_zero) return;  // rows that stand at 0 are not turned
    const std::string sentence =
        fmt::format("row p holds position p {} {:g}", k < 0 ? "−" : "+", std::fabs(k));
    if (some.empty() || some[0].sentence != sentence)
      some.push_back(mapped(
          hypothesis, [k](double p) { return p + k; }, sentence));
  };
  propose(places_of(observation, hypothesis));
  if (const auto measured = with_measured(observation, hypothesis))
    propose(places_of(observation, *measured));
  return some;
}

RotationProposals constant(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  double share;
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  const double c = most_frequent(
      all, [](const ProbeSpot& one) { return nearest_half(one.implied); }, &share);
  if (all.empty() || share < 0.5 || c == 0) return {};
  return {mapped(
      hypothesis, [c](double) { return c; }, fmt::format("every row holds position {:g}", c))};
}

RotationProposals not_rotated(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  if (!observation.has_rows()) return {};
  RotationProposals all{{hypothesis, "no row is turned: all stand at position 0"}};
  all[0].hypothesis.row = [](Index) { return RotationHypothesis::Row::still; };
  if (!observation.reading().is_vectors() || !hypothesis.multiplies()) return all;
  all.push_back({hypothesis, "no vector is turned: all are what they were"});
  all[1].hypothesis.row = [](Index) { return RotationHypothesis::Row::untouched; };
  return all;
}

// All frequencies over those of the hypothesis, by the pair that tells it most sharply, and its
// relative error; 1 where none does.
std::pair<double, double> measured_ratio(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis) {
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.measured_errors(hypothesis);
  double ratio = 1, sharpest = 0.1;
  for (std::size_t j = 0; j < measured.size(); ++j)
    if (const double f = hypothesis.frequencies[j], error = errors[j] / measured[j];
        measured[j] > 0 && f > 0 && error < sharpest) {
      ratio = measured[j] / f;
      sharpest = error;
    }
  return {ratio, sharpest};
}

RotationProposals doubled(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  double share;
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  const double m = most_frequent(
      all,
      [](const ProbeSpot& one) {
        return one.meant > 0 ? std::round(one.implied / one.meant) : NAN;
      },
      &share);
  RotationProposals some;
  const auto multiplied = [&](double times, std::string sentence, double cost) {
    some.push_back(mapped(
        hypothesis, [times](double p) { return p * times; }, std::move(sentence), cost));
  };
  const std::string scaling = word_of(observation, hypothesis, "scaling");
  for (const double times : {2.0, m}) {
    if (!(times > 1) || (times == 2 && !some.empty()) || !(times < 1e6)) continue;
    // With linear scaling that is rather another factor, unless vectors may have been turned twice.
    const bool rather = scaling == "linear" && (times != 2 || !observation.reading().is_vectors());
    multiplied(times,
               times == 2 ? "positions are doubled: the turn was applied twice"
                          : fmt::format("positions are multiplied by {:g}", times),
               rather ? 1.5 : 1);
  }
  // Stretched or squeezed as linear scaling does, beside a scaling that says so by itself.
  if (!observation.has_rows() || scaling.empty() || scaling == "none" || scaling == "linear")
    return some;
  const auto [ratio, error] = measured_ratio(observation, hypothesis);
  if (std::fabs(ratio - 1) <= 2 * error) return some;
  const TidyNumber by = tidiest(ratio < 1 ? 1 / ratio : ratio, error);
  if (ratio > 1 && by.value == std::round(by.value)) return some;
  const double times = ratio < 1 ? 1 / by.value : by.value;
  multiplied(times,
             fmt::format("positions are {} by {:g}, beside {} scaling",
                         ratio < 1 ? "divided" : "multiplied", by.value, scaling),
             1.1 + by.cost);
  if (ratio < 1) some.back().cause = Cause::wrong_scaling;
  return some;
}

RotationProposals floored(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  RotationProposals some;
  if (!observation.has_rows() || !hypothesis.axis.empty()) return some;
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  double share;
  std::vector<double> divisors{2, 4, 8, 16, 32};
  const double m = most_frequent(
      all,
      [](const ProbeSpot& one) {
        return one.implied > 4 ? std::round(one.meant / one.implied) : NAN;
      },
      &share);
  if (m > 1 && m < 4096 && std::ranges::find(divisors, m) == divisors.end()) divisors.push_back(m);
  for (const double s : divisors)
    some.push_back(mapped(
        hypothesis, [s](double p) { return std::floor(p / s); },
        fmt::format("positions are divided by {:g} and rounded down: {:g} neighbours share a row",
                    s, s)));
  return some;
}

RotationProposals wrapped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  Index length = 0;  // greatest common divisor of what rows lack
  for (const ProbeSpot& one : all)
    if (const auto lack = whole<Index>(std::round(one.meant - one.implied)); lack && *lack >= 1)
      length = std::gcd(length, *lack);
  if (length < 2) return {};
  const auto l = static_cast<double>(length);
  const bool runs = observation.reading().run > 0;
  // Behind rows that do not begin at 0 a table of some round length starts again, or the count
  // does.
  const bool once = observation.expected().first > 0 && length % 64 != 0 &&
                    std::ranges::all_of(all, [&](const auto& one) { return one.meant < 2 * l; });
  RotationProposals one{mapped(
      hypothesis, [l](double p) { return p - l * std::floor(p / l); },
      runs ? fmt::format("positions start again from 0 every {} rows", length)
      : once
          ? fmt::format("positions start again from 0 at {}", length)
          : fmt::format("rows repeat from {} on: row p holds position p mod {}", length, length))};
  if (runs || once) one[0].cause = Cause::position_reset;
  return one;
}

RotationProposals clamped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  if (all.empty()) return {};
  double last = -1;
  for (const ProbeSpot& one : all) last = std::max(last, std::round(one.implied));
  if (last < 1) return {};
  return {mapped(
      hypothesis, [last](double p) { return std::min(p, last); },
      fmt::format("every row after {:g} repeats it", last))};
}

RotationProposals left_padding(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  double share;
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  const double k = -most_frequent(
      all,
      [](const ProbeSpot& one) {
        return one.implied > 0.5 ? std::round(one.implied - one.meant) : NAN;
      },
      &share);
  if (all.empty() || k < 1) return {};
  RotationProposals some;
  for (const double pad : {0.0, 1.0})
    some.push_back(mapped(
        hypothesis, [=](double p) { return p < k ? pad : p - k; },
        fmt::format(
            "the first {:g} rows are padding (position {:g}); positions are counted from behind it",
            k, pad)));
  return some;
}

constexpr RotationProposer rows[] = {
    {Cause::position_offset, "position", offset},
    {Cause::not_rotated, "position", not_rotated},
    {Cause::position_constant, "position", constant},
    {Cause::position_doubled, "position", doubled},
    {Cause::position_floored, "position", floored},
    {Cause::rows_clamped, "position", clamped},
    {Cause::rows_wrapped, "position", wrapped},  // or position_reset
    {Cause::left_padding, "position", left_padding},
    {Cause::position_jump, "position", jump},
    {Cause::rows_permuted, "position", permuted},
};

}  // namespace

std::span<const RotationProposer> position_causes() { return rows; }

}  // namespace pe
