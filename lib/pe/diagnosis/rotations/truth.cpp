// The turns of an effect: frequencies, axes, scales and columns.
#include "pe/diagnosis/rotations/truth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/base/whole.hpp"

namespace pe {
namespace {

std::vector<double> doubles(const std::vector<Real>& values) {
  std::vector<double> narrow;
  for (const Real& value : values) narrow.push_back(to_double(value));
  return narrow;
}

// What roundings see of a recipe.
BasicRecipe<double> sketch_of(const std::optional<Recipe>& recipe) {
  if (!recipe || recipe->rule == LadderRule::given) return {};
  return {.rule = recipe->rule,
          .factor = to_double(recipe->factor),
          .low = to_double(recipe->low),
          .high = to_double(recipe->high),
          .original = to_double(recipe->original)};
}

// The axis that each pair reads, and the place of a coordinate on it.
void add_axes(RotationTruth& truth, const Coordinates& coordinates,
              const std::vector<WavePart>& parts) {
  truth.axis.assign(truth.frequencies.size(), 0);
  truth.field = truth.frequencies;
  std::vector<PositionRange> maps(coordinates.axes.size(), PositionRange{0, 1, 1, 0});
  for (const WavePart& part : parts) {
    if (part.axis < maps.size()) maps[part.axis] = part.map;
    const Place& place = part.layout.cosine ? *part.layout.cosine : *part.layout.sine;
    for (Index i = 0; i < part.waves.pairs(); ++i)
      if (const auto pair = static_cast<std::size_t>(place.offset + i * place.step);
          pair < truth.axis.size()) {
        truth.axis[pair] = part.axis;
        // Of one unit of the coordinate; the rotation's own are those of one cell.
        const double step = truth.frequencies[pair];
        truth.frequencies[pair] = to_double(part.waves.frequencies()[static_cast<std::size_t>(i)]);
        if (step != truth.frequencies[pair] && step > 0)
          truth.unscaled[pair] *= truth.frequencies[pair] / step;
      }
  }
  truth.coordinate = [at = coordinates.at, maps](double position, std::size_t axis) {
    const std::optional<std::int64_t> place = whole<std::int64_t>(position);
    return place ? maps[axis].value(at(*place, axis)) : std::nan("");
  };
}

// The logarithms of xPos' scales of a query, which are straight lines.
std::function<double(double, std::size_t)> log_scale_of(const Rotation& rotation) {
  if (!rotation.scale_rule) return {};
  std::vector<double> slope;
  for (const Real& ratio : rotation.scale_rule->ratios)
    slope.push_back(std::log1p(to_double(ratio - 1)) / to_double(rotation.scale_rule->base));
  return [slope, center = static_cast<double>(rotation.scale_rule->center)](
             double position, std::size_t pair) { return slope[pair] * (position - center); };
}

// Which columns of a row some pair has.
class PairedColumns {
 public:
  explicit PairedColumns(Index width) : paired_(static_cast<std::size_t>(width), false) {}

  void add(const WaveLayout& layout, Index pairs) {
    for (const auto& side : {layout.sine, layout.cosine})
      for (Index j = 0; side && j < pairs; ++j)
        paired_[static_cast<std::size_t>(side->offset + j * side->step)] = true;
  }
  std::vector<Index> others() const {
    std::vector<Index> lone;
    for (std::size_t column = 0; column < paired_.size(); ++column)
      if (!paired_[column]) lone.push_back(static_cast<Index>(column));
    return lone;
  }

 private:
  std::vector<bool> paired_;
};

const std::vector<WavePart>& pairs_of(const Table& table) {
  return table.whole_pairs.empty() ? table.parts : table.whole_pairs;
}

RotationTruth grid_truth(const Table& table) {
  RotationTruth truth;
  truth.dim = table.width;
  PairedColumns paired(table.width);
  for (const WavePart& part : pairs_of(table)) paired.add(part.layout, part.waves.pairs());
  truth.lone = paired.others();
  truth.is_cut = !table.whole_pairs.empty();
  std::vector<PositionRange> maps(table.grid->axes.size(), PositionRange{0, 1, 1, 0});
  for (std::size_t p = 0; p < pairs_of(table).size(); ++p) {
    const WavePart& part = pairs_of(table)[p];
    maps[part.axis] = part.map;
    for (Index j = 0; j < part.waves.pairs(); ++j) {
      truth.frequencies.push_back(to_double(part.waves.frequencies()[static_cast<std::size_t>(j)]));
      truth.axis.push_back(part.axis);
      truth.parts.push_back(p);
      truth.cosine_columns.push_back(part.layout.cosine->offset + j * part.layout.cosine->step);
      truth.sine_columns.push_back(part.layout.sine->offset + j * part.layout.sine->step);
    }
  }
  truth.unscaled = truth.frequencies;
  truth.coordinate = [at = table.grid->at, maps](double position, std::size_t axis) {
    const std::optional<std::int64_t> place = whole<std::int64_t>(position);
    return place ? maps[axis].value(at(*place, axis)) : std::nan("");
  };
  truth.growth = angle_ulps_of(truth.frequencies, truth.unscaled, {});
  return truth;
}

}  // namespace

std::vector<double> angle_ulps_of(const std::vector<double>& frequencies,
                                  const std::vector<double>& unscaled,
                                  const BasicRecipe<double>& recipe) {
  using Rule = LadderRule;
  const bool banded = recipe.rule == Rule::banded;
  const bool shared = banded || recipe.rule == Rule::ramped || recipe.rule == Rule::given;
  std::vector<double> growth;
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const double plain = j < unscaled.size() ? unscaled[j] : frequencies[j];
    const double exponent = plain > 0 ? std::fabs(std::log(plain)) : 0;  // ln(base)·2j/d
    const double ratio = plain > 0 && frequencies[j] > 0 ? frequencies[j] / plain : 1;
    const double power = exponent + 10 + 2 * static_cast<double>(j);
    const double turns = recipe.original * plain / (2 * std::numbers::pi);
    const bool blended = banded && turns > recipe.low && turns < recipe.high;
    const double share = blended ? power * turns / (recipe.high - recipe.low) : 0;
    growth.push_back(power + (shared && ratio < 1 ? 4 * (1 - ratio) / ratio : 0) +
                     share * (1 - 1 / recipe.factor) / ratio);
  }
  return growth;
}

bool is_of_turns(const Effect& effect) {
  if (const Rotation* rotation = std::get_if<Rotation>(&effect)) return rotation->waves.has_value();
  const Table* table = std::get_if<Table>(&effect);
  if (!table || pairs_of(*table).empty() || !table->grid) return table && table->waves;
  return std::ranges::all_of(pairs_of(*table), [&](const WavePart& part) {
    return part.layout.cosine && part.layout.sine && part.axis < table->grid->axes.size();
  });
}

std::optional<RotationTruth> rotation_truth(const Effect& effect) {
  if (!is_of_turns(effect)) return {};
  RotationTruth truth;
  if (const Rotation* rotation = std::get_if<Rotation>(&effect)) {
    truth.frequencies = doubles(rotation->waves->frequencies());
    truth.unscaled = doubles(rotation->unscaled);
    truth.magnitude = rotation->magnitude;
    truth.dim = rotation->dim;
    truth.blocks = rotation->blocks;
    truth.last = rotation->last;
    truth.backward = rotation->backward;
    truth.log_scale = log_scale_of(*rotation);
    if (rotation->coordinates) add_axes(truth, *rotation->coordinates, rotation->parts);
    truth.growth = angle_ulps_of(truth.frequencies, truth.unscaled, sketch_of(rotation->recipe));
    return truth;
  }
  const Table* table = std::get_if<Table>(&effect);
  if (!pairs_of(*table).empty() && table->grid) return grid_truth(*table);
  truth.is_cut = !table->whole_pairs.empty();
  const Waves& waves = truth.is_cut ? table->whole_pairs[0].waves : table->waves->first;
  PairedColumns paired(table->width);
  paired.add(truth.is_cut ? table->whole_pairs[0].layout : table->waves->second, waves.pairs());
  truth.lone = paired.others();
  truth.frequencies = truth.unscaled = doubles(waves.frequencies());
  if (truth.is_cut) truth.field = doubles(table->waves->first.frequencies());
  truth.magnitude = to_double(table->waves->first.magnitude());
  truth.dim = table->width;
  truth.growth = angle_ulps_of(truth.frequencies, truth.unscaled, {});
  return truth;
}

}  // namespace pe
