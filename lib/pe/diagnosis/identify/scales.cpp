// xpos: vectors whose pairs grow as they turn, by the base and the scale base that they show.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/guess.hpp"
#include "pe/diagnosis/identify/ladder.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

Candidate xpos_of(Index dim, const char* center) {
  return {.encoding = &find_encoding("xpos"),
          .given = identified({{"dim", std::to_string(dim)}, {"center", center}}),
          .cost = 0,
          .model = {}};
}

// The scale base B: the first pair grows by |ln ζ_0|/B from position to position, ζ_0 = 0.4/1.4.
// Nothing where it does not grow evenly.
std::optional<TidyNumber> scale_base_of(const RotationObservation& observation) {
  constexpr double uneven = 0.02;
  std::vector<std::pair<double, double>> seen;  // steps from the first row, and ln of the growth
  const auto size = [&](std::size_t i) {
    return std::log(std::hypot(observation.cosine(i, 0), observation.sine(i, 0)));
  };
  double above = 0, below = 0;
  for (std::size_t i = 1; i < observation.rows().size(); ++i) {
    const double steps = static_cast<double>(observation.slot(observation.rows()[i]) -
                                             observation.slot(observation.rows()[0])),
                 grown = size(i) - size(0);
    seen.emplace_back(steps, grown);
    above += steps * grown;
    below += steps * steps;
  }
  const double slope = above / below;
  for (const auto& [steps, grown] : seen)
    if (!(std::fabs(grown - slope * steps) < uneven)) return {};
  const double value = std::fabs(std::log(0.4 / 1.4) / slope);
  return tidiest(value, 64 * unit_roundoff(observation.dtype()) * value / std::sqrt(below));
}

constexpr double longest = 1e6;  // positions; pairs that grow more slowly do not grow

// The guess with the scale base and the bases that the vectors show.
std::vector<Candidate> fitted(const Guess& guess) {
  const RotationObservation observation = guess.observe(probe_rows(guess.likely.reading, 0, {}));
  const auto scale_base = scale_base_of(observation);
  std::vector<Candidate> all;
  if (!scale_base || !(scale_base->value < longest)) return all;
  Measured measured;
  for (const double f : observation.measured()) measured.frequencies.push_back(std::fabs(f));
  measured.errors = observation.measured_errors(observation.start());
  for (const Candidate& ladder : plain_guesses(measured)) {
    Candidate one = guess.candidate;
    one.given["base"] = ladder.given.at("base");
    one.given["scale-base"] = identified(fmt::format("{}", scale_base->value));
    one.cost = 1 + ladder.cost;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::optional<Identification> identify_scales(const Dump& dump, const std::string& layout) {
  if (dump.before.empty()) return {};
  const Index width = dump.arrays[0].shape.back();
  for (const Index rows : counts_of_rows(dump)) {
    std::vector<Guess> agreeing, others;  // others: agree but for the position where scales are 1
    for (const char* center : {"middle", "zero"}) {
      const auto guess = held(xpos_of(width, center), dump, rows, layout);
      if (!guess) continue;
      const std::vector<Candidate> candidates = fitted(*guess);
      if (candidates.empty()) break;
      if (guess->agrees()) agreeing.push_back(*guess);
      for (std::size_t i = 0; agreeing.empty() && i < candidates.size(); ++i)
        if (auto other = held(candidates[i], dump, rows, layout); other && other->agrees())
          agreeing.push_back(std::move(*other));
        else if (other && i == 0)
          others.push_back(std::move(*other));
    }
    for (auto* guesses : {&agreeing, &others})
      if (auto found = told(std::move(*guesses), dump)) return found;
  }
  return {};
}

}  // namespace pe
