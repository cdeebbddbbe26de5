// Turns of each kind of effect, and their roundings one after the other.
#include "pe/analyze/pair_turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {
namespace {

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

// Each pair reads the coordinate of its part, through the part's map.
void add_places(PairTurns& turns, const std::vector<WavePart>& parts,
                const Coordinates& coordinates) {
  turns.places = [parts, coordinates](const PositionRange& one, double* places) {
    for (const WavePart& part : parts) {
      const double place = static_cast<double>(part.map.at(coordinates.at(one.first, part.axis))) /
                           power_of_ten(part.map.decimals);
      const Place& where = part.layout.sine ? *part.layout.sine : *part.layout.cosine;
      for (Index j = 0; j < part.waves.pairs(); ++j) places[where.offset + j * where.step] = place;
    }
  };
}

void stand_on_a_line(PairTurns& turns, std::int64_t offset) {
  turns.on_a_line = true;
  turns.places = [n = turns.pairs, offset](const PositionRange& one, double* places) {
    std::fill_n(places, n, one.value(0) + static_cast<double>(offset));
  };
}

void fill_on_a_line(PairTurns& turns, const Waves& waves, std::int64_t offset) {
  turns.fill = [waves, n = waves.pairs(), offset](PositionRange run, double* cosine, double* sine) {
    run.first += offset * static_cast<std::int64_t>(power_of_ten(run.decimals));
    waves.fill(run, {n, {}, Place{}}, DType::f64, reinterpret_cast<std::byte*>(cosine));
    waves.fill(run, {n, Place{}, {}}, DType::f64, reinterpret_cast<std::byte*>(sine));
  };
  stand_on_a_line(turns, offset);
}

std::optional<PairTurns> turns_of(const Rotation& rotation) {
  if (!rotation.waves || !rotation.fill) return {};
  PairTurns turns{.pairs = rotation.pairs,
                  .channels = rotation.dim,
                  .magnitude = to_double(rotation.waves->magnitude()),
                  .frequencies = rotation.waves->frequencies(),
                  .fill = {},
                  .places = {}};
  turns.fill = [fill = rotation.fill](const PositionRange& run, double* cosine, double* sine) {
    fill(run, DType::f64, reinterpret_cast<std::byte*>(cosine), reinterpret_cast<std::byte*>(sine));
  };
  if (rotation.parts.empty())
    stand_on_a_line(turns, 0);
  else
    add_places(turns, rotation.parts, *rotation.coordinates);
  return turns;
}

// The waves of a grid's table, part after part.
PairTurns grid_turns(const Table& table) {
  PairTurns turns{
      .channels = table.width, .rows = true, .frequencies = {}, .fill = {}, .places = {}};
  for (const WavePart& part : table.parts) turns.pairs += part.waves.pairs();
  std::vector<WavePart> cosines = table.parts, sines = table.parts;
  Index first = 0;
  for (std::size_t i = 0; i < table.parts.size(); ++i) {
    cosines[i].layout = {turns.pairs, {}, Place{first, 1}};
    sines[i].layout = {turns.pairs, Place{first, 1}, {}};
    const auto& frequencies = table.parts[i].waves.frequencies();
    turns.frequencies.insert(turns.frequencies.end(), frequencies.begin(), frequencies.end());
    first += table.parts[i].waves.pairs();
  }
  add_places(turns, sines, *table.grid);
  turns.fill = [cosines, sines, grid = *table.grid](const PositionRange& run, double* cosine,
                                                    double* sine) {
    fill(cosines, grid, run, DType::f64, reinterpret_cast<std::byte*>(cosine));
    fill(sines, grid, run, DType::f64, reinterpret_cast<std::byte*>(sine));
  };
  return turns;
}

std::optional<PairTurns> turns_of(const Table& table, std::int64_t offset) {
  if (!table.parts.empty()) return grid_turns(table);
  if (!table.waves) return {};
  const Waves& waves = table.waves->first;
  PairTurns turns{.pairs = waves.pairs(),
                  .channels = table.width,
                  .rows = true,
                  .magnitude = to_double(waves.magnitude()),
                  .frequencies = waves.frequencies(),
                  .fill = {},
                  .places = {}};
  fill_on_a_line(turns, waves, offset);
  return turns;
}

// Codebases have a number in float32 before they store it in fewer bits.
double through_float32(double value, DType type) {
  return type == DType::f64 ? value : rounded_once(rounded_once(value, DType::f32), type);
}

// exp(−j·step) in float32, as codebases fill a sinusoidal table.
std::vector<double> table_frequencies(const PairTurns& turns, const Dialect& dialect) {
  const auto step = static_cast<float>(to_double(log(turns.frequencies[0] / turns.frequencies[1])));
  std::vector<double> frequencies;
  for (Index j = 0; j < turns.pairs; ++j)
    frequencies.push_back(static_cast<double>(dialect.exponential(static_cast<float>(j) * -step)));
  return frequencies;
}

}  // namespace

std::optional<PairTurns> turns_of(const Subject& subject) {
  const Parameters& parameters = subject.parameters;
  const std::int64_t offset = parameters.has("offset") ? parameters.integer("offset") : 0;
  if (const Table* table = std::get_if<Table>(&subject.effect)) return turns_of(*table, offset);
  if (const Rotation* rotation = std::get_if<Rotation>(&subject.effect)) return turns_of(*rotation);
  return {};
}

PairTurns turns_of(const Ladder& ladder) {
  const Waves waves(ladder.frequencies, ladder.magnitude);
  PairTurns turns{.pairs = waves.pairs(),
                  .channels = 2 * waves.pairs(),
                  .magnitude = to_double(ladder.magnitude),
                  .frequencies = ladder.frequencies,
                  .fill = {},
                  .places = {}};
  fill_on_a_line(turns, waves, 0);
  return turns;
}

RoundedTurns::RoundedTurns(const Pipeline& pipeline, const PairTurns& turns, DType stored)
    : pipeline_(pipeline),
      table_(pipeline.table.value_or(stored)),
      pairs_(turns.pairs),
      magnitude_(turns.magnitude) {
  for (const Real& frequency : turns.frequencies)
    frequencies_.push_back(through_float32(to_double(frequency), pipeline.frequencies));
}

RoundedTurns::RoundedTurns(const Pipeline& pipeline, const PairTurns& turns, const Effect& effect,
                           DType stored)
    : RoundedTurns(pipeline, turns, stored) {
  if (const Dialect* dialect = pipeline.dialect) {
    const Rotation* rotation = std::get_if<Rotation>(&effect);
    if (rotation && dialect->steps && rotation->recipe && turns.on_a_line) {
      const Steps steps = dialect->steps(*rotation);
      magnitude_ = static_cast<double>(steps.magnitude);
      steps_ = steps.angles;
      return;
    }
    if (rotation || !dialect->exponential || !turns.on_a_line || turns.pairs < 2)
      throw UsageError(fmt::format("--pipelines: dialect {} has no rule for this {}: give a type",
                                   dialect->name, name_of(kind_of(effect))));
    frequencies_ = table_frequencies(turns, *dialect);
  }
}

void RoundedTurns::at(const double* places, double* angles, double* cosine, double* sine) const {
  if (steps_) {
    std::vector<float> made(static_cast<std::size_t>(pairs_));
    steps_(rounded_once(places[0], pipeline_.positions), made.data());
    std::ranges::copy(made, angles);
  }
  // Codebases take cosines of narrow angles in float32.
  const DType work = pipeline_.angles == DType::f64 && !steps_ ? DType::f64 : DType::f32;
  const double magnitude = rounded_once(magnitude_, work);
  for (Index j = 0; j < pairs_; ++j) {
    if (!steps_)
      angles[j] =
          rounded_once(places[j], pipeline_.positions) * frequencies_[static_cast<std::size_t>(j)];
    angles[j] = through_float32(angles[j], pipeline_.angles);
    const auto kept = [&](double value) {
      return rounded_once(rounded_once(rounded_once(value, work) * magnitude, work), table_);
    };
    cosine[j] = kept(std::cos(angles[j]));
    sine[j] = kept(std::sin(angles[j]));
  }
}

}  // namespace pe
