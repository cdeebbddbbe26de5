// Causes of amplitude: the attention factor of yarn and longrope.
#include <fmt/format.h>

#include <cmath>

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

TurnStory with(const TurnStory& story, double cosine, double sine) {
  TurnStory other = story;
  other.cosine_magnitude = cosine;
  other.sine_magnitude = sine;
  return other;
}

TurnProposals to(const TurnStory& story, double amplitude, std::string sentence, double cost = 1) {
  if (amplitude == story.cosine_magnitude || !(amplitude > 0)) return {};
  return {{with(story, amplitude, amplitude), std::move(sentence), cost}};
}

double factor_of(const TurnWorld& world, const TurnStory& story) {
  const std::string text = text_of(world, story, "factor");
  return text.empty() ? 0 : std::atof(text.c_str());
}

TurnProposals missing(const TurnWorld& world, const TurnStory& story) {
  const double m = world.truth().magnitude;
  if (!world.has_amplitude() || m == 1) return {};
  return to(
      story, 1,
      fmt::format("cosines and sines have amplitude 1, where the attention factor {:.6g} is meant: "
                  "it is missing, or the program multiplies q and k or the scores by it",
                  m));
}

TurnProposals squared(const TurnWorld& world, const TurnStory& story) {
  const double m = world.truth().magnitude;
  if (!world.has_amplitude() || m == 1) return {};
  return to(
      story, m * m,
      fmt::format("amplitude {:.6g}: the attention factor {:.6g} was applied twice", m * m, m));
}

TurnProposals log_twice(const TurnWorld& world, const TurnStory& story) {
  const double m = world.truth().magnitude, s = factor_of(world, story);
  if (!world.has_amplitude() || s <= 1 || m == 1) return {};
  const double twice = 1 + 0.1 * m * std::log(s);
  return to(story, twice,
            fmt::format("amplitude {:.6g} = 0.1·{:.6g}·ln {:.6g} + 1: the attention factor was "
                        "taken for mscale, and its logarithm taken again",
                        twice, m, s));
}

TurnProposals inverted(const TurnWorld& world, const TurnStory& story) {
  const double m = world.truth().magnitude;
  if (!world.has_amplitude() || m == 1) return {};
  return to(story, 1 / m,
            fmt::format("amplitude {:.6g}: divided by the attention factor {:.6g}", 1 / m, m));
}

TurnProposals on_angles(const TurnWorld& world, const TurnStory& story) {
  const Rotation* rotation = std::get_if<Rotation>(&world.expected().effect);
  const double m = rotation ? rotation->magnitude : 1;
  if (m == 1) return {};
  TurnStory other = with(story, 1, 1);
  for (double& f : other.frequencies) f *= m;
  return {
      {other,
       fmt::format(
           "the attention factor {:.6g} multiplies the angles, where cosines and sines are meant",
           m)}};
}

TurnProposals on_one_side(const TurnWorld& world, const TurnStory& story) {
  const double m = world.truth().magnitude;
  if (!world.has_amplitude() || m == 1) return {};
  return {{with(story, m, 1),
           fmt::format("only cosines are multiplied by the attention factor {:.6g}", m)},
          {with(story, 1, m),
           fmt::format("only sines are multiplied by the attention factor {:.6g}", m)}};
}

// Amplitudes that codebases give under other readings of the same config (engines.md, A), then
// whatever was measured.
TurnProposals unexpected(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!world.has_amplitude() || world.expected().encoding->kind != Kind::rotation) return all;
  const double m = world.truth().magnitude, s = factor_of(world, story);
  const auto add = [&](double amplitude, const std::string& why, double cost) {
    if (std::fabs(amplitude - world.amplitude()) < 0.02 * amplitude)
      for (auto& one :
           to(story, amplitude,
              fmt::format("amplitude {:.6g}, where {:.6g} is meant: {}", amplitude, m, why), cost))
        all.push_back(one);
  };
  if (s > 1) {
    add(0.1 * std::log(s) + 1, fmt::format("0.1·ln {:.6g} + 1", s), 1);
    const std::string original = text_of(world, story, "original-max-position");
    if (const double length = std::atof(original.c_str()); length > 1)
      add(std::sqrt(1 + std::log(s) / std::log(length)),
          fmt::format("√(1 + ln {:.6g}/ln {}), longrope's", s, original), 1.05);
    for (const char* name : {"mscale", "mscale-all-dim"})
      if (const std::string k = text_of(world, story, name); !k.empty())
        add(0.1 * std::atof(k.c_str()) * std::log(s) + 1,
            fmt::format("{} alone, not the ratio of both", name), 1);
  }
  add(world.amplitude(), "no known rule gives it", 1.25);
  return all;
}

TurnProposals of_table(const TurnWorld& world, const TurnStory& story) {
  if (!world.has_amplitude() || world.expected().encoding->kind != Kind::table) return {};
  const double a = world.amplitude(), channels = static_cast<double>(world.truth().dim);
  TurnProposals all;
  for (const auto& [known, why] : {std::pair{std::sqrt(2 / channels), "√(2/dim)"},
                                   {1 / std::sqrt(channels), "1/√dim"},
                                   {std::sqrt(channels), "√dim"},
                                   {0.5, "1/2"},
                                   {2.0, "2"}})
    if (std::fabs(known - a) < 0.01 * a)
      for (auto& one :
           to(story, known, fmt::format("every value is multiplied by {:.6g} = {}", known, why)))
        all.push_back(one);
  for (auto& one : to(story, a, fmt::format("every value is multiplied by {:.6g}", a), 1.25))
    all.push_back(one);
  return all;
}

constexpr TurnCause rows[] = {
    {{"attention-factor-missing", "cosines and sines lack the attention factor", "turns"},
     "amplitude",
     missing},
    {{"attention-factor-squared", "the attention factor was applied twice", "turns"},
     "amplitude",
     squared},
    {{"attention-factor-log-twice", "the attention factor was taken for mscale", "turns"},
     "amplitude",
     log_twice},
    {{"attention-factor-inverted", "divided by the attention factor", "turns"},
     "amplitude",
     inverted},
    {{"attention-factor-on-angles", "the attention factor multiplies angles", "turns"},
     "amplitude",
     on_angles},
    {{"attention-factor-on-one-side", "the attention factor multiplies cosines alone, or sines",
      "turns"},
     "amplitude",
     on_one_side},
    {{"attention-factor-unexpected", "cosines and sines have an amplitude that is not meant",
      "turns"},
     "amplitude",
     unexpected},
    {{"wrong-amplitude", "the whole table is multiplied by a number", "turns rows"},
     "amplitude",
     of_table},
};

}  // namespace

std::span<const TurnCause> amplitude_causes() { return rows; }

}  // namespace pe
