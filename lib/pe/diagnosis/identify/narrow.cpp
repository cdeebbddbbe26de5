// Frequencies and amplitude out of what every value probed allows: a number that was rounded to a
// short type says where it lay, and the spans of many rows have little in common.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pe/base/ulp.hpp"
#include "pe/diagnosis/identify/estimate.hpp"

namespace pe {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Allowed {
  double low = -infinity, high = infinity;
  void meet(double middle, double half) {
    low = std::max(low, middle - half);
    high = std::min(high, middle + half);
  }
  double middle() const { return (low + high) / 2; }
  double half() const { return (high - low) / 2; }
};

// Half a unit in the last place of a value: what rounding to the type can have moved it by. float16
// has units of 2^-24 below 2^-14.
double half_ulp(double value, DType dtype) {
  const double least = dtype == DType::f16 ? 0x1p-25 : 0;
  return std::max(least, half_step(value, unit_roundoff(dtype)));
}

// What float32 steps leave of an angle, and of a cosine or sine of it: less than any verdict
// allows.
double arithmetic(double angle) { return 2 * 0x1p-24 * (1 + std::fabs(angle)); }

// √(cos² + sin²) moves with each by its share of the whole.
Allowed amplitude_span(const RotationObservation& observation, double roundings) {
  Allowed span;
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double c = observation.cosine(i, j), s = observation.sine(i, j), a = std::hypot(c, s);
      const double moved = (std::fabs(c) * half_ulp(c, observation.dtype()) +
                            std::fabs(s) * half_ulp(s, observation.dtype())) /
                           a;
      span.meet(a, roundings * moved + arithmetic(0));
    }
  return span;
}

// How often each number was rounded: once, or, where no amplitude allows that, as often as those
// are that a rounded factor multiplied.
double narrow_amplitude(const RotationObservation& observation, Measured& measured) {
  const double most = roundings_to(unit_roundoff(observation.dtype()), measured.amplitude);
  double roundings = 1;
  Allowed span = amplitude_span(observation, roundings);
  if (!(span.low <= span.high) && most > 1) span = amplitude_span(observation, roundings = most);
  if (!(span.low <= span.high)) return roundings;
  const bool is_one = span.low <= 1 && 1 <= span.high;
  measured.amplitude = is_one ? 1 : span.middle();
  measured.amplitude_error = span.half() / measured.amplitude;
  return roundings;
}

// Rows of the first run with their positions.
struct Places {
  std::vector<std::size_t> probes;
  std::vector<double> positions;
};

Places places_of(const RotationObservation& observation, const FrequencyEstimate& seen) {
  Places places;
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    const Index row = observation.rows()[i], slot = observation.slot(row);
    const auto p = static_cast<double>(seen.first + seen.step * slot);
    if (row != observation.row_of_slot(slot) || p == 0) continue;
    places.probes.push_back(i);
    places.positions.push_back(p);
  }
  return places;
}

// How far the frequency f of pair j may be off, by the first terms of cos and sin about p·f.
Allowed span_of(const RotationObservation& observation, const Measured& measured,
                const Places& places, std::size_t j, double f, double roundings) {
  constexpr double flat = 0.1;  // where the second term is not small beside the first
  Allowed span;
  for (std::size_t k = 0; k < places.probes.size(); ++k) {
    const double p = places.positions[k], angle = p * f, a = measured.amplitude,
                 c = a * std::cos(angle), s = a * std::sin(angle);
    const auto meet = [&](double value, double wanted, double slope) {
      const double moved = roundings * half_ulp(value, observation.dtype()) + a * arithmetic(angle);
      if (std::fabs(slope) > flat * a)
        span.meet((value - wanted) / (slope * p), std::fabs(moved / (slope * p)));
    };
    if (observation.has_cosine()) meet(observation.cosine(places.probes[k], j), c, -s);
    if (observation.has_sine()) meet(observation.sine(places.probes[k], j), s, c);
  }
  return span;
}

// Angles are frequencies times positions, rounded once as products and once as the file has them.
void narrow_angles(const Dump& dump, const std::vector<Index>& rows, FrequencyEstimate& seen) {
  const RotationReading& reading = seen.reading;
  const Stored& array = dump.arrays[reading.cosine.array];
  std::vector<double> row(static_cast<std::size_t>(reading.width));
  std::vector<Allowed> spans(seen.measured.frequencies.size());
  for (const Index r : rows) {
    const auto p = static_cast<double>(seen.first + seen.step * r);
    if (p == 0) continue;
    array.read(r * reading.width, reading.width, row.data());
    for (std::size_t j = 0; j < spans.size(); ++j) {
      const double angle = row[static_cast<std::size_t>(reading.cosine.at(static_cast<Index>(j)))];
      spans[j].meet(angle / p, (half_ulp(angle, array.dtype) + std::fabs(angle) * 0x1p-24) / p);
    }
  }
  for (std::size_t j = 0; j < spans.size(); ++j) {
    const bool is_known = spans[j].low <= spans[j].high && std::isfinite(spans[j].half());
    seen.measured.errors[j] = is_known ? spans[j].half() : infinity;
    if (is_known) seen.measured.frequencies[j] = spans[j].middle();
  }
}

}  // namespace

void narrow(const Dump& dump, const RotationObservation& observation, FrequencyEstimate& seen) {
  if (seen.reading.form == RotationReading::Form::angles)
    return narrow_angles(dump, observation.rows(), seen);
  const DType dtype = observation.dtype();
  if (seen.reading.form != RotationReading::Form::turns ||
      (dtype != DType::bf16 && dtype != DType::f16))
    return;
  const double roundings =
      seen.reading.is_one_sided() ? 1 : narrow_amplitude(observation, seen.measured);
  const Places places = places_of(observation, seen);
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    double f = seen.measured.frequencies[j];
    Allowed span;
    for (int pass = 0; pass < 3 && std::isfinite(f); ++pass) {
      span = span_of(observation, seen.measured, places, j, f, roundings);
      if (!(span.low <= span.high) || std::isinf(span.half())) break;
      f += span.middle();
    }
    if (!(span.low <= span.high) || std::isinf(span.half())) continue;
    seen.measured.frequencies[j] = f;
    seen.measured.errors[j] = span.half();
  }
}

void narrow(const Dump& dump, FrequencyEstimate& seen) {
  constexpr Index most_rows = 2048;
  if (seen.backwards || !(seen.at_origin || seen.first != 0)) return;
  if (!has_rows(seen.reading) || seen.reading.rows > most_rows) return;
  std::vector<Index> rows(static_cast<std::size_t>(seen.reading.rows));
  std::iota(rows.begin(), rows.end(), Index{0});
  const auto blank = expectation_of(
      {.encoding = &find_encoding("rope"), .given = {}, .cost = 0, .model = {}}, 1024, 0, false);
  const RotationTruth truth = blank_truth(seen.reading.pairs);
  narrow(dump, RotationObservation(*blank, dump, seen.reading, truth, std::move(rows)), seen);
}

}  // namespace pe
