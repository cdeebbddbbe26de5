// The base of several axes, from all of their pairs.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/rotations/propose/base.hpp"

namespace pe {
namespace {

// ln θ_j = start_j + e_j · ln base over all axes' pairs, told by the ladders of two bases of which
// all is known, for a convention may have a base of its own and say it nowhere.
struct Exponents {
  std::vector<double> start, e;
};

std::optional<Exponents> exponents_of(const RotationObservation& observation,
                                      const RotationHypothesis& hypothesis) {
  const auto one = remade(observation, hypothesis, {{"base", 1e4}}),
             other = remade(observation, hypothesis, {{"base", 1e8}});
  if (!one || !other) return {};
  const double known = std::log(1e4);
  Exponents all;
  for (std::size_t j = 0; j < one->frequencies.size(); ++j) {
    const double first = std::log(one->frequencies[j]);
    all.e.push_back((std::log(other->frequencies[j]) - first) / known);
    all.start.push_back(first - all.e[j] * known);
  }
  return all;
}

// ln base, each pair weighed by how sharply its frequency was measured.
struct Line {
  double value = 0, error = std::numeric_limits<double>::infinity();
};

// `axes`: of each pair; `axis`: the one whose pairs tell it, all where there is none.
Line line_of(const Exponents& exponents, const std::vector<double>& frequencies,
             const std::vector<double>& errors, std::span<const std::size_t> axes = {},
             std::size_t axis = 0) {
  double sum = 0, weight = 0;
  for (std::size_t j = 0; j < exponents.e.size(); ++j) {
    if (!axes.empty() && axes[j] != axis) continue;
    const double error = errors[j] / frequencies[j], e = exponents.e[j];
    if (!(frequencies[j] > 0) || !(error < 0.1) || std::fabs(e) < 1e-12) continue;
    sum += e * (std::log(frequencies[j]) - exponents.start[j]) / (error * error);
    weight += e * e / (error * error);
  }
  return weight > 0 ? Line{sum / weight, 1 / std::sqrt(weight)} : Line{};
}

}  // namespace

std::optional<double> meant_base_of_axes(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis) {
  if (hypothesis.axis.empty()) return {};
  const auto exponents = exponents_of(observation, hypothesis);
  if (!exponents) return {};
  const Line line =
      line_of(*exponents, observation.truth().frequencies, std::vector(exponents->e.size(), 1e-9));
  return std::isfinite(line.error) ? std::optional(std::exp(line.value)) : std::nullopt;
}

RotationProposals base_of_axes(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (hypothesis.axis.empty()) return all;
  const auto exponents = exponents_of(observation, hypothesis);
  if (!exponents) return all;
  const std::vector<double> measured = observation.measured(hypothesis),
                            errors = observation.errors_from_rule(hypothesis);
  const Line meant =
      line_of(*exponents, hypothesis.frequencies, std::vector(exponents->e.size(), 1e-9));
  // By each axis alone, too: another may stand still or have another step.
  std::vector<Line> lines{line_of(*exponents, measured, errors)};
  for (std::size_t axis = 0; axis < hypothesis.axes(); ++axis)
    lines.push_back(line_of(*exponents, measured, errors, hypothesis.axis, axis));
  // Errors are bounds of each pair's, and pairs share some of them: twice, for all together.
  std::set<double> tried;
  for (const Line& line : lines)
    for (int digits = 1; digits <= 9 && std::isfinite(line.error); ++digits) {
      const double value = to_digits(std::exp(line.value), digits);
      if (std::fabs(std::log(value) - line.value) > 2 * line.error + 1e-8) continue;
      if (!tried.insert(value).second) continue;
      if (auto made = remade(observation, hypothesis, {{"base", value}}))
        all.push_back({*made,
                       fmt::format("base {}, where {:.6g} is meant", spell_number(value),
                                   std::exp(meant.value)),
                       1.05 + 0.01 * digits});
    }
  // A base of one axis's own.
  for (std::size_t axis = 0; axis < hypothesis.axes(); ++axis)
    for (int digits = 1; digits <= 9 && std::isfinite(lines[1 + axis].error); ++digits) {
      const Line& line = lines[1 + axis];
      const double value = to_digits(std::exp(line.value), digits);
      if (std::fabs(std::log(value) - line.value) > 2 * line.error + 1e-8 ||
          std::fabs(line.value - meant.value) <= 2 * line.error + 1e-8)
        continue;
      const auto made = remade(observation, hypothesis, {{"base", value}});
      if (!made || made->frequencies.size() != hypothesis.frequencies.size()) continue;
      RotationHypothesis one = hypothesis;
      for (std::size_t j = 0; j < one.frequencies.size(); ++j)
        if (one.axis[j] == axis) one.frequencies[j] = made->frequencies[j];
      all.push_back({std::move(one),
                     fmt::format("the base of axis {} alone is {}, where {:.6g} is meant", axis,
                                 spell_number(value), std::exp(meant.value)),
                     1.15 + 0.01 * digits});
    }
  return all;
}

}  // namespace pe
