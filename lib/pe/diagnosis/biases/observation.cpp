// A hypothesis's biases at a run of keys, and the comparison with what was read, modulo a constant
// for each query row.
#include "pe/diagnosis/biases/observation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "pe/base/median.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double short_of(double value, DType dtype) {
  double rounded = 0;
  round_to(dtype, {&value, 1}, &rounded);
  return rounded;
}

// slope·n for whole n, rounded to odd.
double steps(const Twofold& slope, double n) {
  return n == 0 ? 0 : round_to_odd(multiply(slope, n));
}

// The distance that a pair is given; with its sign where that is kept.
double distance_at(const BiasHypothesis& hypothesis, std::int64_t i, std::int64_t j) {
  using Rounded = BiasHypothesis::Rounded;
  const std::int64_t away = i - j,
                     farther = hypothesis.kept_diagonal && away == 0 ? 0 : hypothesis.farther;
  double distance = static_cast<double>(
      hypothesis.signed_distance ? away : std::max<std::int64_t>(std::abs(away) + farther, 0));
  if (hypothesis.wraps > 0) {
    const auto end = static_cast<double>(hypothesis.wraps);
    const double from = hypothesis.wraps_signed ? end / 2 : 0;
    distance = std::fmod(distance + from, end) - from;
  }
  if (hypothesis.farthest) distance = std::min(distance, static_cast<double>(*hypothesis.farthest));
  if (hypothesis.rounded == Rounded::distances)
    distance = short_of(distance, hypothesis.short_type);
  if (hypothesis.rounded == Rounded::positions ||
      hypothesis.rounded == Rounded::positions_exactly_apart) {
    distance = short_of(static_cast<double>(i), hypothesis.short_type) -
               short_of(static_cast<double>(j), hypothesis.short_type);
    if (hypothesis.rounded == Rounded::positions)
      distance = short_of(distance, hypothesis.short_type);
    if (!hypothesis.signed_distance) distance = std::fabs(distance);
  }
  return distance;
}

// How many slopes a linear bias has at a pair; NaN: masked.
double slopes_at(const BiasHypothesis& hypothesis, const BiasShape& shape, Index batch,
                 std::int64_t query, std::int64_t key) {
  if (!hypothesis.tokens.empty()) {
    const auto& [first, end] = hypothesis.tokens[static_cast<std::size_t>(batch)];
    return key < first || key >= end ? 0 : static_cast<double>(key - first);
  }
  const std::int64_t i = hypothesis.transposed ? key : query + hypothesis.query_shift,
                     j = hypothesis.transposed ? query + hypothesis.query_shift : key;
  const std::int64_t away = i - j;
  if (hypothesis.masked && away < 0) return no_number;
  if (hypothesis.constant == BiasHypothesis::Constant::key)
    return hypothesis.rounded == BiasHypothesis::Rounded::nothing
               ? static_cast<double>(j)
               : short_of(static_cast<double>(j), hypothesis.short_type);
  if (hypothesis.constant == BiasHypothesis::Constant::key_from_last) {
    const auto n = static_cast<double>(j - shape.last_key());
    return hypothesis.rounded == BiasHypothesis::Rounded::nothing
               ? n
               : short_of(n, hypothesis.short_type);
  }
  return static_cast<double>(hypothesis.constant_steps) - distance_at(hypothesis, i, j);
}

// A bias that is not linear: as its effect gives it, at pairs that were moved. One that moves a
// pair off the rows that exist is no hypothesis: no dump has infinite numbers there.
void fill_run(const Bias& bias, Index head, std::int64_t query, const PositionRange& keys,
              double* out) {
  const auto exists = [&](std::int64_t p) { return !bias.rows || (p >= 0 && p < *bias.rows); };
  if (!exists(query) || !exists(keys.first) || !exists(keys.at(keys.count - 1))) {
    std::fill(out, out + keys.count, HUGE_VAL);
    return;
  }
  bias.fill(head, query, keys, DType::f64, reinterpret_cast<std::byte*>(out));
}

// Each key at another distance from the query, on its own side, or on the other where queries and
// keys are swapped: one run of keys holds them all.
void elsewhere(const BiasHypothesis& hypothesis, Index head, std::int64_t i, std::int64_t key,
               Index count, double* out) {
  const bool moves = hypothesis.rounded == BiasHypothesis::Rounded::positions ||
                     hypothesis.rounded == BiasHypothesis::Rounded::positions_exactly_apart;
  const auto from = static_cast<std::int64_t>(
      moves ? short_of(static_cast<double>(i), hypothesis.short_type) : static_cast<double>(i));
  std::vector<std::int64_t> keys;
  for (Index k = 0; k < count; ++k) {
    const auto distance = static_cast<std::int64_t>(distance_at(hypothesis, i, key + k));
    const std::int64_t least = hypothesis.bias->causal ? 1 : 0;  // what is later stays so
    const bool after = hypothesis.transposed ? key + k < i : key + k > i;
    keys.push_back(after ? from + std::max(distance, least) : from - distance);
  }
  const auto [low, high] = std::ranges::minmax(keys);
  std::vector<double> run(static_cast<std::size_t>(high - low + 1));
  fill_run(*hypothesis.bias, head, from, {low, 1, high - low + 1, 0}, run.data());
  for (Index k = 0; k < count; ++k)
    out[k] = run[static_cast<std::size_t>(keys[static_cast<std::size_t>(k)] - low)];
}

void general(const BiasHypothesis& hypothesis, Index head, std::int64_t query, std::int64_t key,
             Index count, double* out) {
  const Bias& bias = *hypothesis.bias;
  const std::int64_t i = query + hypothesis.query_shift;
  if (hypothesis.kept_diagonal || hypothesis.farthest || hypothesis.wraps > 0 ||
      hypothesis.rounded != BiasHypothesis::Rounded::nothing)
    return elsewhere(hypothesis, head, i, key, count, out);
  const bool places = bias.rows || bias.argument || (bias.buckets && !bias.buckets->by_offset);
  if (hypothesis.transposed && places) {
    for (Index k = 0; k < count; ++k) fill_run(bias, head, key + k, {i, 1, 1, 0}, out + k);
  } else if (hypothesis
                 .transposed) {  // a function of key − query alone: the keys mirrored at the query
    fill_run(bias, head, i, {2 * i - key, -1, count, 0}, out);
  } else if (hypothesis.farther == 0) {
    fill_run(bias, head, i, {key, 1, count, 0}, out);
  } else {  // each side as seen from a query one farther away
    const Index before = std::clamp<Index>(i - key + 1, 0, count);
    if (before > 0) fill_run(bias, head, i + hypothesis.farther, {key, 1, before, 0}, out);
    if (before < count)
      fill_run(bias, head, i - hypothesis.farther, {key + before, 1, count - before, 0},
               out + before);
  }
}

}  // namespace

void BiasObservation::evaluate(const BiasHypothesis& hypothesis, Index plane, std::int64_t query,
                               std::int64_t key, Index count, double* out) const {
  const auto own =
      static_cast<std::size_t>(hypothesis.heads[static_cast<std::size_t>(plane % shape.heads)]);
  if (shape.slopes) {
    *out = hypothesis.scale * round_to_odd(to_twofold(hypothesis.slopes[own]));
    return;
  }
  if (!hypothesis.slopes.empty()) {
    const Twofold slope = to_twofold(hypothesis.slopes[own]);
    for (Index k = 0; k < count; ++k) {
      const double n = slopes_at(hypothesis, shape, plane / shape.heads, query, key + k);
      out[k] = std::isnan(n) ? -HUGE_VAL : steps(slope, n);
    }
  } else {
    general(hypothesis, static_cast<Index>(own), query, key, count, out);
  }
  const auto row = static_cast<std::size_t>(plane * shape.queries + query - shape.first_query);
  const bool zero = (hypothesis.zero_from && query >= *hypothesis.zero_from) ||
                    (hypothesis.zero_rows && (*hypothesis.zero_rows)[row]) ||
                    (!hypothesis.zero_heads.empty() &&
                     hypothesis.zero_heads[static_cast<std::size_t>(plane % shape.heads)]);
  for (Index k = 0; k < count; ++k)
    if (out[k] != -HUGE_VAL)
      out[k] = zero || (hypothesis.zero_later && key + k > query) ? 0 : out[k] * hypothesis.scale;
}

std::vector<double> BiasObservation::evaluate(const BiasHypothesis& hypothesis,
                                              const Probe& probe) const {
  std::vector<double> truth(probe.got.size());
  double* out = truth.data();
  for (const PositionRange& run : probe.runs) {
    evaluate(hypothesis, probe.plane, probe.query, run.first, run.count, out);
    out += run.count;
  }
  return truth;
}

std::vector<char> BiasObservation::hidden(const Probe& probe) const {
  std::size_t count = 0;
  for (const PositionRange& run : probe.runs) count += static_cast<std::size_t>(run.count);
  if (mask->shape(probe.plane).empty()) return std::vector<char>(count);
  std::vector<char> all;
  all.reserve(count);
  for (const PositionRange& run : probe.runs)
    for (Index at = 0; at < run.count; ++at)
      all.push_back(is_hidden(probe.plane, probe.query, run.at(at)));
  return all;
}

double BiasObservation::allowed(const BiasHypothesis& hypothesis, Index plane, double truth,
                                double got, double constant, double distance) const {
  const Index own = hypothesis.heads[static_cast<std::size_t>(plane % shape.heads)];
  const bool free = hypothesis.constant == BiasHypothesis::Constant::any && !shape.slopes;
  // With a constant, two cells of the dump are subtracted, and each may be as large as the constant
  // makes it.
  const double magnitude = free ? std::fabs(truth) + 2 * std::fabs(constant) : std::fabs(truth);
  double bound_here = bound.at(own, magnitude, distance) + rounding_error(magnitude, dtype);
  if (coarse) bound_here += coarse->half_step(plane * shape.queries * shape.keys, truth + constant);
  // Slope, distance and product each rounded to the shorter type.
  if (hypothesis.storage) bound_here += 3 * rounding_error(magnitude, *hypothesis.storage);
  if (free && !std::isfinite(got)) return bound_here;
  return free ? 2 * bound_here : bound_here;
}

double BiasObservation::constant_of(const BiasHypothesis& hypothesis, std::span<const double> truth,
                                    std::span<const double> got,
                                    std::span<const char> hidden) const {
  if (hypothesis.constant != BiasHypothesis::Constant::any || shape.slopes) return 0;
  double least = HUGE_VAL, constant = no_number, lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    // A mask's number is no bias with a constant, and would let any difference pass.
    if (!std::isfinite(truth[k]) || !std::isfinite(got[k]) || hidden[k] || mask->holds(got[k]))
      continue;
    lowest = std::min(lowest, truth[k]);
    highest = std::max(highest, truth[k]);
    if (std::fabs(truth[k]) >= least) continue;
    least = std::fabs(truth[k]);
    constant = got[k] - truth[k];
  }
  // Beside a constant that swallows what a row holds, any row would do.
  const bool swallows =
      highest > lowest && rounding_error(4 * std::fabs(constant), dtype) >= highest - lowest;
  return swallows ? 0 : constant;
}

namespace {

// What no mask hides: masks are added in a type of their own.
std::vector<double> open_cells(const BiasObservation& observation,
                               const BiasObservation::Probe& probe) {
  std::vector<double> open = probe.got;
  std::erase_if(open, [&](double value) { return observation.mask->holds(value); });
  return open;
}

// Whether most of what the hypothesis says lies within what rounding allows, so that a row of one
// number would agree, too.
bool holds_nothing(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  if (observation.shape.slopes) return false;
  Index said = 0, held = 0, cells = 0;
  for (const BiasObservation::Probe& probe : observation.probes) cells += std::ssize(probe.got);
  for (const BiasObservation::Probe& probe : observation.probes) {
    if (8 * held >= cells) return false;  // whatever the others say
    const std::vector<double> truth = observation.evaluate(hypothesis, probe);
    const std::vector<char>& hidden = probe.hidden;
    const double constant = observation.constant_of(hypothesis, truth, probe.got, hidden);
    double least = HUGE_VAL;
    for (const double value : truth)
      if (std::fabs(value) < std::fabs(least)) least = value;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      if (hidden[k] || !std::isfinite(truth[k]) || truth[k] == least) continue;
      ++said;
      held += std::fabs(truth[k] - least) >
              observation.allowed(hypothesis, probe.plane, truth[k], probe.got[k], constant, 0);
    }
  }
  return said > 0 && 8 * held < said;
}

// Every cell probed, until `look` is false.
template <typename Look>
bool compare(const BiasObservation& observation, const BiasHypothesis& hypothesis, Look look) {
  for (const BiasObservation::Probe& probe : observation.probes) {
    const std::vector<double> truth = observation.evaluate(hypothesis, probe);
    const std::vector<char>& hidden = probe.hidden;
    const double constant = observation.constant_of(hypothesis, truth, probe.got, hidden);
    if (hypothesis.storage && !on_grid(open_cells(observation, probe), *hypothesis.storage) &&
        !look(HUGE_VAL, 1))
      return false;
    std::size_t k = 0;
    for (const PositionRange& run : probe.runs)
      for (Index at = 0; at < run.count; ++at, ++k) {
        const bool here = truth[k] == -HUGE_VAL, masked = observation.mask->holds(probe.got[k]);
        if ((hidden[k] && masked) || observation.is_gap(probe.got[k])) continue;
        if (here && !hidden[k] && observation.is_later(probe.query, run.at(at))) continue;
        double difference = here && masked ? 0 : HUGE_VAL,
               limit = 1;  // masked by the hypothesis alone: the dump must show it
        if (!here && !hidden[k]) {
          difference = std::fabs(probe.got[k] - truth[k] - constant);
          limit = observation.allowed(hypothesis, probe.plane, truth[k], probe.got[k], constant,
                                      static_cast<double>(std::abs(probe.query - run.at(at))));
        }
        if (!look(std::isnan(difference) ? HUGE_VAL : difference, limit)) return false;
      }
  }
  return true;
}

}  // namespace

Fit BiasObservation::measure(const BiasHypothesis& hypothesis) const {
  Fit fit{0, 0, 0};
  Index cells = 0, within = 0;
  compare(*this, hypothesis, [&](double difference, double limit) {
    ++cells;
    within += difference <= limit;
    fit.residual = std::max(fit.residual, difference);
    fit.excess = std::max(
        fit.excess, difference <= limit ? std::min(1.0, difference / limit) : difference / limit);
    return true;
  });
  if (cells == 0 || holds_nothing(*this, hypothesis)) return {};
  fit.share = static_cast<double>(within) / static_cast<double>(cells);
  return fit;
}

bool BiasObservation::agrees(const BiasHypothesis& hypothesis) const {
  return compare(*this, hypothesis,
                 [](double difference, double limit) { return difference <= limit; }) &&
         !holds_nothing(*this, hypothesis);
}

double BiasObservation::promise(const BiasHypothesis& hypothesis) const {
  if (hypothesis.slopes.empty()) return 0;
  std::vector<double> ratios = slope_ratios(*this, hypothesis);
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio); });
  if (ratios.empty()) return 0;
  const double middle = median_of(ratios);
  constexpr double near = 4e-3;
  const auto good = std::ranges::count_if(
      ratios, [&](double ratio) { return std::fabs(ratio - middle) <= near * std::fabs(middle); });
  return static_cast<double>(good) / static_cast<double>(shape.heads);
}

std::vector<double> slope_ratios(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis) {
  std::vector<double> ratios(static_cast<std::size_t>(observation.shape.heads), no_number),
      weight(ratios.size(), 0);
  for (const BiasObservation::Probe& probe : observation.probes) {
    const std::vector<double> truth = observation.evaluate(hypothesis, probe);
    const std::vector<char>& hidden = probe.hidden;
    const auto head = static_cast<std::size_t>(probe.plane % observation.shape.heads);
    // Against the cell of least bias, where a constant of the row may stand.
    std::size_t least = truth.size();
    for (std::size_t k = 0; k < truth.size(); ++k)
      if (truth[k] != -HUGE_VAL && !hidden[k] && !observation.is_gap(probe.got[k]) &&
          (least == truth.size() || std::fabs(truth[k]) < std::fabs(truth[least])))
        least = k;
    if (least == truth.size()) continue;
    const double low = observation.shape.slopes ? 0 : truth[least],
                 low_got = observation.shape.slopes ? 0 : probe.got[least];
    for (std::size_t k = 0; k < truth.size(); ++k) {
      if (truth[k] == -HUGE_VAL || hidden[k] || observation.is_gap(probe.got[k]) ||
          !(std::fabs(truth[k] - low) > weight[head]))
        continue;
      weight[head] = std::fabs(truth[k] - low);
      ratios[head] = (probe.got[k] - low_got) / (truth[k] - low);
    }
  }
  return ratios;
}

}  // namespace pe
