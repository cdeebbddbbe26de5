// Causes of yarn's ramp and of longrope's two lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/scaling_offers.hpp"

namespace pe {
namespace {

bool is_yarn(const TurnWorld& world, const TurnStory& story) {
  return text_of(world, story, "scaling") == "yarn";
}

// The share w of the divided frequency that each pair has, put to another use: from the unscaled
// frequency, the factor and j/n.
void ramped(const TurnWorld& world, const TurnStory& story,
            double (*use)(double unscaled, double factor, double part, double share),
            const std::string& sentence, double cost, TurnProposals& all) {
  const std::vector<double>& unscaled = world.truth().unscaled;
  const double s = std::atof(text_of(world, story, "factor").c_str()),
               n = static_cast<double>(story.frequencies.size());
  if (!(s > 1) || unscaled.size() < story.frequencies.size()) return;
  TurnStory other = story;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j) {
    const double share = (1 - story.frequencies[j] / unscaled[j]) / (1 - 1 / s);
    other.frequencies[j] =
        use(unscaled[j], s, static_cast<double>(j) / n, std::clamp(share, 0.0, 1.0));
  }
  all.push_back({other, sentence, cost});
}

std::optional<std::pair<TurnStory, TurnStory>> lists(const TurnWorld& world,
                                                     const TurnStory& story) {
  if (text_of(world, story, "scaling") != "longrope") return {};
  const auto list = [&](const char* name) {
    const auto other = remade(world, story, changed({{"factor-list", name}}));
    return other ? *other : story;  // remade() gives nothing where nothing changes
  };
  return std::pair{list("short"), list("long")};
}

}  // namespace

TurnProposals yarn_truncate(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_yarn(world, story)) return all;
  const bool now = text_of(world, story, "truncate") != "false";
  add_both(world, story, changed({{"truncate", now ? "false" : "true"}}),
           fmt::format("the ramp's ends are {} whole pairs, where truncate {} is meant",
                       now ? "not rounded to" : "rounded to", meant(world, "truncate")),
           1, all);
  return all;
}

TurnProposals yarn_betas(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_yarn(world, story)) return all;
  const std::string fast = text_of(world, story, "beta-fast"),
                    slow = text_of(world, story, "beta-slow");
  add_both(world, story, changed({{"beta-fast", slow}, {"beta-slow", fast}}),
           fmt::format("beta-fast and beta-slow ({} and {}) were exchanged", fast, slow), 1, all);
  ramped(
      world, story, [](double f, double s, double, double w) { return f * (w + (1 - w) / s); },
      "the ramp is turned round, as exchanged betas turn it: fast pairs are divided and slow ones "
      "kept",
      1.02, all);
  ramped(
      world, story, [](double f, double s, double, double w) { return f * (w > 0 ? 1 / s : 1); },
      "the ramp is a step at its lower end, as exchanged betas make it in ggml", 1.02, all);
  ramped(
      world, story, [](double f, double s, double, double w) { return f * (w < 1 ? 1 : 1 / s); },
      "the ramp is a step at its upper end, as exchanged betas make it in ggml", 1.02, all);
  return all;
}

TurnProposals yarn_original(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (is_yarn(world, story)) add_other_values(world, story, "original-max-position", all);
  return all;
}

TurnProposals yarn_clamp(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_yarn(world, story)) return all;
  for (const char* clamp : {"pairs", "none", "dim"})
    add_both(world, story, changed({{"ramp-clamp", clamp}}),
             fmt::format("the ramp's upper end is clamped by '{}', where {} is meant", clamp,
                         meant(world, "ramp-clamp")),
             1, all);
  return all;
}

TurnProposals yarn_ramp(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_yarn(world, story)) return all;
  add_both(world, story, changed({{"beta-fast", "32"}, {"beta-slow", "1"}}),
           fmt::format("betas 32 and 1, where {} and {} are meant", meant(world, "beta-fast"),
                       meant(world, "beta-slow")),
           1, all);
  add_both(world, story, changed({{"ramp", "rotation"}}),
           "the ramp is linear in the turns within the original length, not in the pair's number",
           1.02, all);
  ramped(
      world, story,
      [](double f, double s, double part, double w) {
        return f * (1 - w) + w * f * std::pow(s, -part);
      },
      "the factor stands within the power, (s·base)^(−2j/d)", 1.02, all);
  ramped(
      world, story,
      [](double f, double s, double, double w) { return f * (1 - w * w + w * w / s); },
      "the ramp's share is squared", 1.05, all);
  return all;
}

TurnProposals other_list(const TurnWorld& world, const TurnStory& story) {
  const auto both = lists(world, story);
  if (!both) return {};
  const auto& [brief, extended] = *both;
  TurnProposals all;
  for (const auto& [other, name] : {std::pair{&brief, "short"}, {&extended, "long"}})
    if (other->frequencies != story.frequencies)
      all.push_back(
          {*other, fmt::format("every row has the {} factors, where the {} ones are meant", name,
                               std::string_view(name) == "short" ? "long" : "short")});
  return all;
}

TurnProposals mixed_lists(const TurnWorld& world, const TurnStory& story) {
  const auto both = lists(world, story);
  if (!both || !world.has_rows() || world.reading().run > 0) return {};
  const auto original =
      static_cast<Index>(std::atof(text_of(world, story, "original-max-position").c_str()));
  TurnProposals all;
  for (const Index row : {original, original + 1, original - 1}) {
    if (row <= 0 || row >= world.reading().rows) continue;
    TurnStory mixed = both->first;
    mixed.split = TurnStory::Split{row, both->second.frequencies, both->second.cosine_magnitude};
    all.push_back({mixed, fmt::format("rows before {} have the short factors, rows from it on the "
                                      "long ones: one sequence has two rotations",
                                      row)});
    if (row != original) continue;
    // vLLM's cache: the long table from position 0 stands behind the short one.
    mixed.position = [before = story.position, row](Index r, std::size_t axis) {
      return before(r < row ? r : r - row, axis);
    };
    all.push_back({mixed, fmt::format("rows from {} on are the long table from position 0 again: "
                                      "two tables in one, as vLLM stacks them",
                                      row)});
  }
  return all;
}

}  // namespace pe
