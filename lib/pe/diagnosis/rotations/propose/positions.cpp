// Causes of position: the place that a row stands for, found from its phases.
#include "pe/diagnosis/rotations/propose/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/digits.hpp"
#include "pe/base/median.hpp"
#include "pe/base/whole.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/parts_of_steps.hpp"

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

Proposal<RotationHypothesis> mapped(const RotationHypothesis& hypothesis, const PositionMap& map,
                                    std::string sentence, double cost) {
  RotationHypothesis other = hypothesis;
  other.position = [before = hypothesis.position, map](Index row, std::size_t axis) {
    return map(before(row, axis));
  };
  return {other, std::move(sentence), cost};
}

Proposal<RotationHypothesis> moved_by(const RotationHypothesis& hypothesis, double by,
                                      double cost) {
  return mapped(
      hypothesis, [by](double p) { return p + by; },
      fmt::format("row p holds position p {} {:.15g}", by < 0 ? "−" : "+", std::fabs(by)), cost);
}

namespace {

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
    constexpr double farthest = 0x1p53;
    if (all.empty() || k == 0 || std::fabs(k) > farthest || at_zero)
      return;  // rows that stand at 0 are not turned
    // A part of a position is rather another frequency where all rows hold one.
    const double cost = observation.slots() == 1 && k != std::round(k) ? 1.2 : 1;
    Proposal<RotationHypothesis> one = moved_by(hypothesis, k, cost);
    if (some.empty() || some[0].sentence != one.sentence) some.push_back(std::move(one));
  };
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  propose(all);
  double k = part_of_places(all);
  if (k == 0) k = part_of_turns(observation, hypothesis);
  if (k != 0) some.push_back(moved_by(hypothesis, k, 1.1));
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
  // One row's is an offset.
  if (all.empty() || share < 0.5 || c == 0 || observation.slots() == 1) return {};
  return {mapped(
      hypothesis, [c](double) { return c; }, fmt::format("every row holds position {:.15g}", c))};
}

// Rows of listed positions, or of every so many, that hold their own numbers or their neighbours.
RotationProposals list_unused(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  const Expectation& expected = observation.expected();
  if (!observation.has_rows() || !hypothesis.axis.empty() ||
      (expected.listed.empty() && expected.step == 1))
    return {};
  RotationProposals all;
  const auto propose = [&](std::int64_t first, const char* what) {
    all.push_back({hypothesis,
                   fmt::format("rows hold positions {}, {}, {}, …: {} was not used", first,
                               first + 1, first + 2, what),
                   0.99});
    all.back().hypothesis.position = [reading = observation.reading(), first](Index row,
                                                                              std::size_t) {
      return static_cast<double>(first + reading.slot(row));
    };
  };
  if (expected.listed.empty()) propose(expected.first, "the step");
  if (!expected.listed.empty() || expected.first != 0)
    propose(0, expected.listed.empty() ? "the window" : "the list");
  if (expected.listed.empty()) return all;
  // Each sequence of a batch counts from 0, wherever the list begins.
  Index length = 0;
  for (const ProbeSpot& one : places_of(observation, hypothesis))
    if (const auto lack = whole<Index>(
            std::round(static_cast<double>(observation.reading().slot(one.row)) - one.implied)))
      length = std::gcd(length, *lack);
  if (length < 2 || length >= observation.slots()) return all;
  all.push_back({hypothesis,
                 fmt::format("rows hold positions 0 to {} again and again: the list was not used",
                             length - 1),
                 0.99});
  all.back().hypothesis.position = [reading = observation.reading(), length](Index row,
                                                                             std::size_t) {
    return static_cast<double>(reading.slot(row) % length);
  };
  return all;
}

RotationProposals not_rotated(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  if (!observation.has_rows()) return {};
  RotationProposals all{{hypothesis, "no row is turned: all stand at position 0"}};
  all[0].hypothesis.row = [](Index) { return RotationHypothesis::Row::still; };
  if (hypothesis.log_scale) {
    all.push_back({hypothesis, "no row is turned, and the scales are as they should be"});
    std::ranges::fill(all[1].hypothesis.frequencies, 0.0);
  }
  if (!observation.reading().is_vectors() || !hypothesis.multiplies()) return all;
  all.push_back({hypothesis, "no vector is turned: all are what they were"});
  all.back().hypothesis.row = [](Index) { return RotationHypothesis::Row::untouched; };
  return all;
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
  // A single row behind the end is rather one that was not turned.
  if (length + 1 == observation.slots() + observation.expected().first) one[0].cost = 1.1;
  return one;
}

// Of several axes: the row from which on all are the last one, in the numbers themselves.
RotationProposals clamped_rows(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  const RotationReading& reading = observation.reading();
  if (!observation.has_rows() || reading.per_axis || reading.slots() != reading.rows) return {};
  const std::size_t end = observation.rows().size() - 1;
  if (observation.rows()[end] != reading.rows - 1) return {};
  Index last = 0;
  observation.scan([&](Index row, const double* c, const double* s, const double* slack) {
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double near = 1e-6 + slack[j] + observation.slack(end, j);
      if (std::fabs(c[j] - observation.cosine(end, j)) > near ||
          std::fabs(s[j] - observation.sine(end, j)) > near)
        last = row + 1;
    }
    return true;
  });
  if (last + 2 > reading.rows || last == 0) return {};
  RotationHypothesis other = hypothesis;
  other.position = [before = hypothesis.position, last](Index row, std::size_t axis) {
    return before(std::min(row, last), axis);
  };
  return {{std::move(other), fmt::format("every row after {} repeats it", last)}};
}

RotationProposals clamped(const RotationObservation& observation,
                          const RotationHypothesis& hypothesis) {
  if (!hypothesis.axis.empty()) return clamped_rows(observation, hypothesis);
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  if (all.empty()) return {};
  double last = -1;
  for (const ProbeSpot& one : all) last = std::max(last, std::round(one.implied));
  if (last < 1) return {};
  return {mapped(
      hypothesis, [last](double p) { return std::min(p, last); },
      fmt::format("every row after {:.15g} repeats it", last))};
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
        fmt::format("the first {:.15g} rows are padding (position {:.15g}); positions are counted "
                    "from behind it",
                    k, pad)));
  some.push_back(mapped(
      hypothesis, [=](double p) { return std::max(p - k, 1.0); },
      fmt::format(
          "the first {:.15g} rows are padding; positions are counted from behind it, and are "
          "at least 1",
          k),
      1.02));
  return some;
}

constexpr RotationProposer rows[] = {
    {Cause::position_offset, "position", offset, may_be_by_angles},
    {Cause::not_rotated, "position pace end", not_rotated},
    {Cause::position_constant, "position pace end", constant, may_be_by_angles},
    {Cause::position_reset, "position pace end", list_unused, may_be_by_angles},
    {Cause::position_doubled, "pace", doubled, may_be_by_angles},
    {Cause::position_floored, "position pace end", floored, may_be_by_angles},
    {Cause::rows_clamped, "end", clamped, may_be_by_angles},
    {Cause::rows_wrapped, "end", wrapped, may_be_by_angles},  // or position_reset
    {Cause::left_padding, "position", left_padding, may_be_by_angles},
    {Cause::position_jump, "position", jump, may_be_by_angles},
    {Cause::rows_permuted, "position pace end", permuted, may_be_by_angles},
    {Cause::position_jump, "position pace end", listed_otherwise, may_be_by_angles},
};

}  // namespace

std::span<const RotationProposer> position_causes() { return rows; }

}  // namespace pe
