// Rows that stand anywhere: the whole position of each, as the waves of a ladder tell it.
#include "pe/diagnosis/identify/decode.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pe/base/whole.hpp"

namespace pe {
namespace {

constexpr double full_circle = 2 * std::numbers::pi;
constexpr double farthest_position = 0x1p40;

// One row's phases, and how far off rounding may have left each.
struct Phases {
  std::vector<double> values, errors;
};

Phases phases_of(const RotationObservation& observation, std::size_t i) {
  Phases phases;
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    const double c = observation.cosine(i, j), s = observation.sine(i, j), square = c * c + s * s;
    phases.values.push_back(std::atan2(s, c));
    // Each side is rounded in its own last place.
    phases.errors.push_back(3 * observation.grain() * std::fabs(c * s) / square +
                            2 * observation.slack(i, j) / std::sqrt(square) + 0x1p-22);
  }
  return phases;
}

// float32 steps to an angle leave so much of it open.
double rounding_at(double position, double frequency) {
  return std::fabs(position * frequency) * 0x1p-21;
}

// The slowest wave tells the position coarsely, each faster one to a finer part of it.
std::optional<std::int64_t> decoded(const Phases& phases, const std::vector<double>& frequencies,
                                    const std::vector<std::size_t>& slowest_first) {
  double position = 0, error = 0;
  for (const std::size_t j : slowest_first) {
    const double f = frequencies[j], phase = phases.values[j];
    if (!std::isfinite(phase)) return {};
    const bool is_first = j == slowest_first.front();
    if (is_first && phase < -3 * phases.errors[j])
      position = full_circle / (2 * f);  // past half a wave
    const double own = (phase + full_circle * std::round((position * f - phase) / full_circle)) / f,
                 left = (phases.errors[j] + rounding_at(own, f)) / f;
    if (!is_first && std::fabs(own - position) > 2 * (left + error)) return {};
    if (is_first || left < error) {
      position = own;
      error = left;
    }
  }
  if (!(error < 0.4) || !(std::fabs(position) < farthest_position)) return {};
  const double whole = std::round(position);
  if (std::fabs(position - whole) > 2 * error) return {};
  for (const std::size_t j : slowest_first) {
    const double angle = whole * frequencies[j];
    if (std::fabs(std::remainder(phases.values[j] - angle, full_circle)) >
        2 * (phases.errors[j] + rounding_at(whole, frequencies[j])))
      return {};
  }
  return saturated<std::int64_t>(whole);
}

}  // namespace

std::optional<std::vector<std::int64_t>> decoded_positions(const Dump& dump,
                                                           const RotationReading& reading,
                                                           const Expectation& expected,
                                                           const RotationTruth& truth) {
  constexpr Index most_slots = 1 << 16, at_once = 1 << 10;
  constexpr std::size_t fewest_waves = 6;
  const Index slots = reading.slots();
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < truth.frequencies.size(); ++j)
    if (truth.frequencies[j] > 0) order.push_back(j);
  std::ranges::stable_sort(order, {}, [&](std::size_t j) { return truth.frequencies[j]; });
  if (slots > most_slots || order.size() < fewest_waves || reading.is_one_sided() ||
      reading.is_of_frequencies())
    return {};
  const auto decode = [&](const std::vector<Index>& places, std::vector<std::int64_t>& positions) {
    std::vector<Index> rows;
    for (const Index slot : places) rows.push_back(reading.run > 0 ? slot * reading.stride : slot);
    const RotationObservation observation(expected, dump, reading, truth, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto position = decoded(phases_of(observation, i), truth.frequencies, order);
      if (!position) return false;
      positions.push_back(*position);
    }
    return true;
  };
  std::vector<std::int64_t> some, all;
  std::vector<Index> few{0, slots / 3, slots - 1};
  few.erase(std::unique(few.begin(), few.end()), few.end());
  if (!decode(few, some)) return {};
  for (Index first = 0; first < slots; first += at_once) {
    std::vector<Index> places(static_cast<std::size_t>(std::min(at_once, slots - first)));
    std::iota(places.begin(), places.end(), first);
    if (!decode(places, all)) return {};
  }
  return all;
}

double proportionality(const Dump& dump, const RotationReading& reading,
                       const std::vector<Index>& rows) {
  const Stored& array = dump.arrays[reading.cosine.array];
  if (rows.empty()) return 0;
  std::vector<std::vector<double>> angles;
  for (const Index row : rows) {
    std::vector<double> whole(static_cast<std::size_t>(reading.width)), own;
    array.read(row * reading.width, reading.width, whole.data());
    for (Index j = 0; j < reading.pairs; ++j)
      own.push_back(whole[static_cast<std::size_t>(reading.cosine.at(j))]);
    angles.push_back(std::move(own));
  }
  const auto farthest_row = std::ranges::max_element(
      angles, {}, [](const std::vector<double>& row) { return std::fabs(row[0]); });
  double good = 0, all = 0;
  for (const std::vector<double>& row : angles)
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double want = row[0] / (*farthest_row)[0] * (*farthest_row)[j];
      good += std::fabs(row[j] - want) <= 8 * unit_roundoff(array.dtype) * std::fabs(want);
      ++all;
    }
  return all > 0 ? good / all : 0;
}

}  // namespace pe
