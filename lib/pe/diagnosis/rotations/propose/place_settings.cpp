// Causes of places: parameters that say where rows stand, told otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"

namespace pe {
namespace {

// What axis 0 goes on by at the first row that is not as meant, by its own phases, beside what it
// is meant to: frames that are so much further apart.
std::optional<double> measured_interval(const RotationObservation& observation,
                                        const RotationHypothesis& hypothesis, double meant) {
  constexpr Index most = 1 << 12;
  const Index count = std::min(observation.slots(), most);
  std::vector<Index> rows;
  for (Index place = 0; place < count; ++place) rows.push_back(observation.row_of_slot(place));
  const std::vector<double> seen = observation.implied_positions(hypothesis, rows, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double off = seen[i] - hypothesis.position(rows[i], 0), whole = std::round(off);
    if (whole == 0 || !(std::fabs(off - whole) < 0.2)) continue;
    return meant + whole > 0 ? std::optional(meant + whole) : std::nullopt;
  }
  return {};
}

}  // namespace

RotationProposals places_by_setting(const RotationObservation& observation,
                                    const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Parameters& parameters = observation.expected().parameters;
  const auto offer = [&](const Settings& changes, const char* name, const std::string& value) {
    if (auto other = remade(observation, hypothesis, changes))
      all.push_back({std::move(*other),
                     fmt::format("{} {}, where {} is meant", name, value, meant(observation, name)),
                     1});
  };
  if (parameters.has("advance"))
    for (const char* advance : {"space", "all"})
      if (parameters.choice("advance") != advance)
        offer({{"advance", std::string(advance)}}, "advance", advance);
  if (parameters.has("time-interval")) {
    const auto interval = static_cast<double>(parameters.integer("time-interval"));
    if (const auto other = measured_interval(observation, hypothesis, interval))
      offer({{"time-interval", *other}}, "time-interval", fmt::format("{:.0f}", *other));
  }
  // A scale that was given and is not there, or multiplies what it should divide.
  for (const char* name : {"spatial-scale", "temporal-scale"}) {
    if (!parameters.has(name)) continue;
    const double scale = parameters.number(name).value();
    if (scale == 1) continue;
    for (const double other : {1.0, 1 / scale})
      if (auto made = remade(observation, hypothesis, {{name, other}}))
        all.push_back(
            {std::move(*made),
             fmt::format("{} {:.6g}, where {} is meant", name, other, meant(observation, name)),
             0.98});
  }
  if (parameters.has("reference"))
    if (auto other = remade(observation, hypothesis, {{"reference", std::string()}}))
      all.push_back({std::move(*other),
                     fmt::format("coordinates count the patches of the grid, where they are to be "
                                 "stretched to the trained one, {}",
                                 meant(observation, "reference")),
                     1});
  return all;
}

RotationProposals ladders_of_conventions(const RotationObservation& observation,
                                         const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const Expectation& expected = observation.expected();
  if (!expected.parameters.has("convention")) return all;
  const bool is_table = observation.has_rows();
  for (const Parameter& row : expected.encoding->parameters) {
    if (row.name != std::string_view("convention")) continue;
    for (const std::string& convention : words(row.choices))
      if (auto other = remade(observation, hypothesis, {{"convention", convention}}))
        all.push_back({std::move(*other),
                       fmt::format("{} convention {}, where {} is meant",
                                   is_table ? fmt::format("this is {},", expected.encoding->name)
                                            : "frequencies are those of",
                                   convention, meant(observation, "convention")),
                       is_table ? 1.06 : 1,
                       is_table ? std::optional(Cause::other_table) : std::nullopt});
  }
  return all;
}

}  // namespace pe
