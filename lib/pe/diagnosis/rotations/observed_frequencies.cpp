// Frequencies of an observation as a hypothesis sees them, and what is fitted to them.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "pe/base/narrow.hpp"
#include "pe/base/ulp.hpp"
#include "pe/diagnosis/rotations/measured.hpp"
#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

std::vector<double> RotationObservation::shares_of_steps(
    const RotationHypothesis& hypothesis) const {
  std::vector<double> shares;
  for (std::size_t j = 0; j < pairs_; ++j) shares.push_back(share_of_steps(hypothesis, j));
  return shares;
}

double RotationObservation::share_of_steps(const RotationHypothesis& hypothesis,
                                           std::size_t pair) const {
  if (reading_->is_one_sided() || hypothesis.row || hypothesis.ladder || rows_.size() < 2) return 0;
  constexpr double near = 1e-3;  // radians, beside what rounding may move
  const double sign = hypothesis.reversed != hypothesis.swapped ? -1 : 1;
  const std::size_t axis = hypothesis.axis_of(pair);
  std::size_t as_said = 0;
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    const std::complex<double> before(cosine(i - 1, pair), sine(i - 1, pair)),
        here(cosine(i, pair), sine(i, pair));
    const double step =
        hypothesis.position(rows_[i], axis) - hypothesis.position(rows_[i - 1], axis);
    const double off = std::remainder(
        sign * std::arg(here * std::conj(before)) - step * hypothesis.frequencies[pair],
        2 * std::numbers::pi);
    as_said += std::fabs(off) <= near + 2 * (slack(i, pair) + slack(i - 1, pair));
  }
  return static_cast<double>(as_said) / static_cast<double>(rows_.size() - 1);
}

std::vector<double> RotationObservation::measured(const RotationHypothesis& hypothesis) const {
  std::vector<double> frequencies = seen(hypothesis).values;
  if (!has_rows() || !hypothesis.position) return frequencies;
  for (double& f : frequencies) f *= turned(hypothesis);
  return frequencies;
}

// What a frequency that was measured from row to row is multiplied by.
double RotationObservation::turned(const RotationHypothesis& hypothesis) const {
  return (hypothesis.reversed != hypothesis.swapped ? -1 : 1) / step_of(hypothesis);
}

const MeasuredFrequencies& RotationObservation::seen() const {
  if (!measured_) measured_ = measured_frequencies(*this, start());
  return *measured_;
}

RotationObservation::OwnPlaces RotationObservation::own_places(const RotationHypothesis& hypothesis,
                                                               double farthest) const {
  OwnPlaces own{farthest, hypothesis.axis, {}};
  for (const Index row : rows_)
    for (std::size_t axis = 0; axis < hypothesis.axes(); ++axis)
      own.places.push_back(hypothesis.position(row, axis));
  return own;
}

// Where a type would move some of the probes, the others alone.
const MeasuredFrequencies& RotationObservation::seen(const RotationHypothesis& hypothesis) const {
  const double farthest = last_exact_position(hypothesis);
  if (!has_rows()) return seen();
  if (!hypothesis.axis.empty()) {
    const OwnPlaces own = own_places(hypothesis, farthest);
    auto place =
        std::ranges::find(own_seen_, own, &std::pair<OwnPlaces, MeasuredFrequencies>::first);
    if (place == own_seen_.end())
      place = own_seen_.insert(place, {own, measured_frequencies(*this, hypothesis, farthest)});
    return place->second;
  }
  if (std::isinf(farthest)) return seen();
  const auto [place, is_new] = seen_.try_emplace(farthest);
  if (is_new) {
    place->second = measured_frequencies(*this, start(), farthest);
    if (std::ranges::none_of(place->second.values, [](double f) { return std::isfinite(f); }))
      place->second = seen();  // all of them stand farther out
  }
  return place->second;
}

RotationObservation::Question RotationObservation::question(
    const RotationHypothesis& hypothesis) const {
  double own = 0;  // which of those measured by places of its own
  if (has_rows() && !hypothesis.axis.empty()) {
    const MeasuredFrequencies& measured = seen(hypothesis);
    while (&own_seen_[static_cast<std::size_t>(own)].second != &measured) ++own;
  }
  return {turned(hypothesis), last_exact_position(hypothesis), rounding_of_angles(hypothesis), own};
}

const std::vector<FittedLadder>& RotationObservation::fitted(const RotationHypothesis& hypothesis,
                                                             const MeasuredLadder& measured) const {
  const auto [place, is_new] =
      fitted_.try_emplace({question(hypothesis), measured.plain.base}, std::vector<FittedLadder>{});
  if (is_new) place->second = fitted_ladders(measured);
  return place->second;
}

const std::vector<ParameterFit>& RotationObservation::fitted_parameters(
    const RotationHypothesis& hypothesis, const Scaling& scaling,
    const MeasuredLadder& measured) const {
  const auto [place, is_new] =
      parameters_.try_emplace(question(hypothesis), std::vector<ParameterFit>{});
  if (is_new) place->second = fit_one_parameter(scaling, measured);
  return place->second;
}

// What the hypothesis's position moves by from one row to the next.
double RotationObservation::step_of(const RotationHypothesis& hypothesis) const {
  if (!has_rows() || !hypothesis.position || slots() <= 2 || !hypothesis.axis.empty() ||
      !expected_->listed.empty())
    return 1;
  const Index next = reading_->run > 0 ? 2 * reading_->stride : 2, one = next / 2;
  const double step = hypothesis.position(next, 0) - hypothesis.position(one, 0);
  return step != 0 ? step : 1;
}

std::vector<double> RotationObservation::measured_errors(
    const RotationHypothesis& hypothesis) const {
  const auto& [frequencies, bounds, amplitude] = seen(hypothesis);
  const double step = std::fabs(step_of(hypothesis)),
               rounding = has_rows() ? rounding_of_angles(hypothesis) : 0;
  std::vector<double> errors;
  for (std::size_t j = 0; j < bounds.size(); ++j)
    errors.push_back((bounds[j] + rounding * std::fabs(frequencies[j])) / step);
  return errors;
}

std::vector<double> RotationObservation::errors_from_rule(
    const RotationHypothesis& hypothesis) const {
  constexpr std::size_t enough = 4;  // pairs that are known sharply beside a rounding
  std::vector<double> errors = measured_errors(hypothesis);
  const std::vector<double> frequencies = measured(hypothesis);
  for (const DType type : {DType::bf16, DType::f16}) {
    std::size_t sharp = 0;
    bool all = true;
    for (std::size_t j = 0; j < errors.size(); ++j) {
      const double f = frequencies[j], rounding = rounding_error(f, type);
      if (!(f > 0) || !(4 * errors[j] < rounding)) continue;
      ++sharp;
      all = all && std::fabs(rounded_once(f, type) - f) <= errors[j];
    }
    if (!all || sharp < enough) continue;
    for (std::size_t j = 0; j < errors.size(); ++j)
      errors[j] += rounding_error(std::fabs(frequencies[j]), type);
    return errors;
  }
  return errors;
}

}  // namespace pe
