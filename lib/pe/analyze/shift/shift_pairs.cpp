// Pairs of tables and rotations, as shifting sees them.
#include "pe/analyze/shift/shift_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/analyze/turns.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

void append(Shifting& shifting, const Waves& waves, const WaveLayout& layout,
            const PositionRange& map, const std::string& axis) {
  if (!layout.sine || !layout.cosine) return;
  const Real unit = Real(map.step) / pow(Real(10), map.decimals);
  for (Index j = 0; j < waves.pairs(); ++j) {
    const std::array<Index, 2> channels{layout.sine->offset + j * layout.sine->step,
                                        layout.cosine->offset + j * layout.cosine->step};
    if (std::ranges::max(channels) >= shifting.width) continue;  // a cut cosine has no pair
    shifting.pairs.push_back(
        {channels, channels, waves.frequencies()[static_cast<std::size_t>(j)] * unit, axis});
  }
}

Shifting shifting_of(const Table& table, const Question& question) {
  Shifting shifting;
  shifting.width = table.width;
  if (table.waves)
    append(shifting, table.waves->first, table.waves->second, {0, 1, 0, 0}, "position");
  shifting.axis = "position";
  if (table.parts.empty() || !table.grid) return shifting;
  for (const WavePart& part : table.parts)
    append(shifting, part.waves, part.layout, part.map, table.grid->axes[part.axis]);
  const std::vector<std::string>& axes = table.grid->axes;
  shifting.axis = question.options.has("axis") ? question.options.choice("axis") : axes.front();
  if (!question.options.has("axis")) question.decide("axis", shifting.axis);
  if (std::ranges::find(axes, shifting.axis) == axes.end())
    throw UsageError(
        fmt::format("--axis must be one of {}, got {}", fmt::join(axes, ", "), shifting.axis));
  return shifting;
}

Shifting shifting_of(const Rotation& rotation, const Question& question) {
  Shifting shifting;
  shifting.width = rotation.dim;
  shifting.sign = -1;
  if (!rotation.waves) return shifting;
  shifting.axis = question.of_file ? "all" : axis_of_turns(rotation, question);
  for (Index j = 0; j < rotation.pairs; ++j) {
    const PairChannels channels = channels_of(rotation, j);
    shifting.pairs.push_back({channels.in, channels.out,
                              rotation.waves->frequencies()[static_cast<std::size_t>(j)], "all"});
  }
  for (const WavePart& part : rotation.parts)
    for (Index j = 0; shifting.axis != "all" && j < part.waves.pairs(); ++j)
      shifting.pairs
          .at(static_cast<std::size_t>(part.layout.sine->offset + j * part.layout.sine->step))
          .axis = rotation.coordinates->axes[part.axis];
  return shifting;
}

}  // namespace

Shifting shifting_of(const Question& question) {
  Effect effect = question.subject.effect;
  if (question.of_file)
    if (const std::optional<Subject> meant = with_changes(question.subject, {}))
      effect = meant->effect;
  if (const Rotation* rotation = std::get_if<Rotation>(&effect))
    return shifting_of(*rotation, question);
  return shifting_of(std::get<Table>(effect), question);
}

Turn turn_of(const Shifting& shifting, const ShiftPair& pair, std::int64_t k) {
  if (pair.axis != "all" && pair.axis != shifting.axis) return {};
  const Real angle = pair.frequency * Real(k);
  return {to_double(angle), to_double(Real(cos(angle))), to_double(Real(sin(angle)))};
}

}  // namespace pe
