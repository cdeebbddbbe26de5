// The list of causes of turns, and making an effect again with other parameters.
#include "pe/diagnosis/rotations/propose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/scalings/scaling.hpp"

namespace pe {

const std::vector<RotationProposer>& turn_causes() {
  static const std::vector<RotationProposer> all = [] {
    std::vector<RotationProposer> list;
    for (const auto& part :
         {order_causes(), amplitude_causes(), storage_causes(), precision_causes(),
          trigonometry_causes(), scaling_causes(), ladder_causes(), position_causes(), row_marks(),
          axis_causes(), vector_causes(), pair_causes()})
      std::ranges::copy(part, std::back_inserter(list));
    return list;
  }();
  return all;
}

double number_of(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                 const std::string& name) {
  if (hypothesis.changes.contains(name)) return number_in(hypothesis.changes, name, 0);
  const Parameters& parameters = observation.expected().parameters;
  return parameters.has(name) ? parameters.number(name).value() : 0;
}

std::string word_of(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                    const std::string& name) {
  if (const auto changed = hypothesis.changes.find(name); changed != hypothesis.changes.end())
    return spell(changed->second);
  const Parameters& parameters = observation.expected().parameters;
  return parameters.has(name) ? parameters.choice(name) : "";
}

std::string meant(const RotationObservation& observation, const std::string& name) {
  for (const auto& entry : observation.expected().parameters.entries())
    if (entry.name == name) return fmt::format("{} ({})", entry.text, entry.origin);
  return "the default";
}

namespace {

// A flag that only the former scaling reads would be refused beside another one.
void drop_orphans(const RotationObservation& observation, Settings& changes) {
  const auto scaling = changes.find("scaling");
  if (scaling == changes.end()) return;
  const std::string rule = spell(scaling->second);
  const auto reads = [&](const Scaling& scaling_row, const std::string& name) {
    return std::ranges::any_of(scaling_row.parameters,
                               [&](const Parameter& row) { return row.name == name; });
  };
  for (const auto& entry : observation.expected().parameters.entries()) {
    if (!entry.origin.starts_with("flag ") || changes.contains(entry.name)) continue;
    const bool of_scalings = std::ranges::any_of(
        all_scalings(), [&](const Scaling* row) { return reads(*row, entry.name); });
    const bool kept = rule != "none" && reads(find_scaling(rule), entry.name);
    if (of_scalings && !kept) changes[entry.name] = std::string();
  }
}

}  // namespace

std::optional<RotationHypothesis> remade(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis,
                                         const Settings& changes) {
  // Frequencies that were told otherwise without a parameter would be lost.
  const bool is_bent =
      hypothesis.changes.empty() && hypothesis.frequencies != observation.truth().frequencies;
  if (!observation.expected().remake || is_bent) return {};
  Settings all = hypothesis.changes;
  for (const auto& [name, value] : changes) all[name] = value;
  Settings wide = observation.truth().width;
  for (const auto& [name, value] : all) wide[name] = value;
  drop_orphans(observation, all);
  drop_orphans(observation, wide);
  const RotationTruth* truth = observation.truth_of(wide);
  if (!truth) return {};
  const std::vector<double>& frequencies =
      observation.reading().is_of_frequencies() && !truth->field.empty() ? truth->field
                                                                         : truth->frequencies;
  if (frequencies.size() != observation.pairs() || !std::isfinite(truth->magnitude) ||
      !std::ranges::all_of(frequencies, [](double f) { return std::isfinite(f); }))
    return {};
  RotationHypothesis other = hypothesis;
  other.changes = all;
  other.frequencies = frequencies;
  const bool as_meant = hypothesis.cosine_magnitude == observation.truth().magnitude &&
                        hypothesis.sine_magnitude == observation.truth().magnitude;
  if (as_meant && observation.has_amplitude())
    other.cosine_magnitude = other.sine_magnitude = truth->magnitude;
  if (!truth->axis.empty() && !observation.reading().per_axis) {
    other.axis = truth->axis;
    const auto steps = [reading = observation.reading(), step = observation.expected().step](
                           Index row) { return step * reading.slot(row); };
    other.position = hypothesis_of(*truth, observation.expected().first, steps).position;
  }
  const bool same = other.frequencies == hypothesis.frequencies &&
                    other.cosine_magnitude == hypothesis.cosine_magnitude &&
                    other.axis == hypothesis.axis && other.axis.empty();
  if (same) return {};
  return other;
}

}  // namespace pe
