// The list of causes of turns, and making an effect again with other parameters.
#include "pe/diagnosis/turn_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/scalings/scaling.hpp"

namespace pe {

const std::vector<TurnCause>& turn_causes() {
  static const std::vector<TurnCause> all = [] {
    std::vector<TurnCause> list;
    for (const auto& part :
         {order_causes(), amplitude_causes(), precision_causes(), scaling_causes(), ladder_causes(),
          position_causes(), row_marks(), axis_causes()})
      std::ranges::copy(part, std::back_inserter(list));
    return list;
  }();
  return all;
}

std::string text_of(const TurnWorld& world, const TurnStory& story, const std::string& name) {
  if (const auto changed = story.changes.find(name); changed != story.changes.end())
    return changed->second.text;
  for (const auto& entry : world.expected().parameters.entries())
    if (entry.name == name) return entry.text;
  return "";
}

std::string meant(const TurnWorld& world, const std::string& name) {
  for (const auto& entry : world.expected().parameters.entries())
    if (entry.name == name) return fmt::format("{} ({})", entry.text, entry.origin);
  return "the default";
}

namespace {

// A flag that only the former scaling reads would be refused beside another one.
void drop_orphans(const TurnWorld& world, Given& changes) {
  const auto scaling = changes.find("scaling");
  if (scaling == changes.end()) return;
  const auto reads = [&](const Scaling& rule, const std::string& name) {
    return std::ranges::any_of(rule.parameters,
                               [&](const Parameter& row) { return row.name == name; });
  };
  for (const auto& entry : world.expected().parameters.entries()) {
    if (!entry.origin.starts_with("flag ") || changes.contains(entry.name)) continue;
    const bool of_scalings = std::ranges::any_of(
        all_scalings(), [&](const Scaling* rule) { return reads(*rule, entry.name); });
    const bool kept =
        scaling->second.text != "none" && reads(find_scaling(scaling->second.text), entry.name);
    if (of_scalings && !kept) changes[entry.name] = {"", "", ""};
  }
}

}  // namespace

std::optional<TurnStory> remade(const TurnWorld& world, const TurnStory& story,
                                const Given& changes) {
  if (!world.expected().remake) return {};
  Given all = story.changes;
  for (const auto& [name, value] : changes) all[name] = value;
  drop_orphans(world, all);
  const auto effect = world.expected().remake(all);
  if (!effect) return {};
  const std::optional<TurnTruth> truth = turn_truth(effect->effect);
  if (!truth || truth->frequencies.size() != world.pairs()) return {};
  TurnStory other = story;
  other.changes = all;
  other.frequencies = truth->frequencies;
  const bool as_meant = story.cosine_magnitude == world.truth().magnitude &&
                        story.sine_magnitude == world.truth().magnitude;
  if (as_meant && world.has_amplitude())
    other.cosine_magnitude = other.sine_magnitude = truth->magnitude;
  if (!truth->axis.empty() && !world.reading().per_axis) {
    other.axis = truth->axis;
    other.position = story_of(*truth, world.expected().first, [&world](Index row) {
                       return world.slot(row);
                     }).position;
  }
  const bool same = other.frequencies == story.frequencies &&
                    other.cosine_magnitude == story.cosine_magnitude && other.axis == story.axis &&
                    other.axis.empty();
  if (same) return {};
  return other;
}

}  // namespace pe
