// Causes of scaling: a rule that is missing, doubled, turned round, another one, or told another
// parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "pe/diagnosis/scaling_offers.hpp"

namespace pe {
namespace {

TurnProposals missing(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (is_scaled(world, story))
    add_both(world, story, changed({{"scaling", "none"}}),
             fmt::format("frequencies are those without scaling {}", meant(world, "scaling")), 1,
             all);
  return all;
}

// Each pair's ratio to the unscaled frequency, taken otherwise.
TurnProposals with_ratio(const TurnWorld& world, const TurnStory& story,
                         double (*change)(double ratio), std::string sentence) {
  const std::vector<double>& unscaled = world.truth().unscaled;
  if (!is_scaled(world, story) || unscaled.size() < story.frequencies.size()) return {};
  TurnStory other = story;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j)
    if (unscaled[j] > 0)
      other.frequencies[j] = unscaled[j] * change(story.frequencies[j] / unscaled[j]);
  if (other.frequencies == story.frequencies) return {};
  return {{other, std::move(sentence)}};
}

TurnProposals inverted(const TurnWorld& world, const TurnStory& story) {
  const std::string factor = text_of(world, story, "factor");
  TurnProposals all;
  if (const double s = std::atof(factor.c_str()); is_scaled(world, story) && s > 0)
    add_both(world, story, changed({{"factor", fmt::format("{:.17g}", 1 / s)}}),
             fmt::format("factor 1/{}, where {} is meant: frequencies are multiplied where the "
                         "scaling divides them",
                         factor, meant(world, "factor")),
             1, all);
  for (auto& one : with_ratio(
           world, story, [](double r) { return 1 / r; },
           "frequencies are multiplied where the scaling divides them"))
    all.push_back(one);
  return all;
}

TurnProposals twice(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all = with_ratio(
      world, story, [](double r) { return r * r; }, "the scaling was applied twice");
  // llama3 asks each frequency for its turns within the original length, and the second time the
  // scaled ones.
  if (text_of(world, story, "scaling") != "llama3") return all;
  const auto number = [&](const char* name) {
    return std::atof(text_of(world, story, name).c_str());
  };
  const double s = number("factor"), low = number("low-freq-factor"),
               high = number("high-freq-factor"), original = number("original-max-position");
  TurnStory other = story;
  for (double& f : other.frequencies) {
    const double share =
        std::clamp((original * f / (2 * std::numbers::pi) - low) / (high - low), 0.0, 1.0);
    f *= share + (1 - share) / s;
  }
  all.push_back({other, "the scaling was applied twice, the second time to scaled frequencies"});
  return all;
}

TurnProposals other_kind(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  const std::string now = text_of(world, story, "scaling"),
                    factor = text_of(world, story, "factor");
  if (now.empty()) return all;
  const bool scaled = is_scaled(world, story);
  const std::string sentence =
      scaled ? fmt::format("where {} is meant", meant(world, "scaling")) : "where none is meant";
  for (const char* name :
       {"linear", "ntk", "dynamic", "yarn", "llama3", "longrope", "ntk-by-parts"}) {
    if (now == name) continue;
    std::set<std::string> factors{factor.empty() ? "" : factor};
    if (!scaled) factors = {"2", "4", "8", "16", "32"};
    for (const std::string& s : factors) {
      Given changes = changed({{"scaling", name}});
      if (!s.empty()) changes["factor"] = {s, "diagnosis", ""};
      const std::string original = text_of(world, story, "original-max-position");
      changes["original-max-position"] = {
          original.empty() ? text_of(world, story, "max-position") : original, "diagnosis", ""};
      if (std::string_view(name) == "linear" || std::string_view(name) == "ntk")
        changes["original-max-position"].text = "";
      add_both(world, story, changes,
               fmt::format("frequencies are those of {} scaling{}, {}", name,
                           s.empty() ? "" : " by " + s, sentence),
               scaled ? 1.02 : 1.1, all);
    }
  }
  return all;
}

TurnProposals on_some_rows(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_scaled(world, story) || !world.has_rows() || world.reading().run > 0 ||
      text_of(world, story, "scaling") == "longrope" ||
      story.frequencies != world.truth().frequencies)
    return all;
  const auto plain = remade(world, story, changed({{"scaling", "none"}}));
  if (!plain) return all;
  // The first row that is not what one of both says: probes tell the neighbourhood, rows in between
  // are looked up.
  for (const bool scaled_first : {false, true}) {
    const TurnStory &first = scaled_first ? story : *plain, &then = scaled_first ? *plain : story;
    const TurnPrediction prediction(first, world.truth().growth, 0x1p-24,
                                    unit_roundoff(world.dtype()));
    std::vector<double> c(world.pairs()), s = c, bound = c;
    Index boundary = -1;
    world.scan([&](Index row, const double* cosine, const double* sine) {
      prediction.row(row, c.data(), s.data(), bound.data());
      for (std::size_t j = 0; j < c.size(); ++j)
        if (std::fabs(cosine[j] - c[j]) > bound[j] || std::fabs(sine[j] - s[j]) > bound[j])
          boundary = row;
      return boundary < 0;
    });
    if (boundary <= 1) continue;
    TurnStory mixed = first;
    mixed.split = TurnStory::Split{boundary, then.frequencies, then.cosine_magnitude};
    all.push_back({mixed, fmt::format("rows before {} are {}, rows from it on are {}", boundary,
                                      scaled_first ? "scaled" : "not scaled",
                                      scaled_first ? "not" : "scaled")});
  }
  return all;
}

TurnProposals parameter(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_scaled(world, story)) return all;
  const std::string scaling = text_of(world, story, "scaling");
  add_other_values(world, story, "factor", all);
  if (scaling != "yarn") add_other_values(world, story, "original-max-position", all);
  if (scaling == "llama3") {
    const std::string low_is = text_of(world, story, "low-freq-factor"),
                      high_is = text_of(world, story, "high-freq-factor");
    const auto times = [](const std::string& text, double k) {
      return fmt::format("{:g}", k * std::atof(text.c_str()));
    };
    std::vector<std::pair<std::string, std::string>> others{
        {high_is, low_is}, {"1", "4"}, {"8", "32"}, {"1", "32"}};
    for (const double k : {0.5, 2.0, 4.0}) {
      others.emplace_back(times(low_is, k), high_is);
      others.emplace_back(low_is, times(high_is, k));
    }
    for (const auto& [low, high] : others)
      add_both(
          world, story, changed({{"low-freq-factor", low}, {"high-freq-factor", high}}),
          fmt::format("low and high frequency factors {} and {}, where {} and {} are meant", low,
                      high, meant(world, "low-freq-factor"), meant(world, "high-freq-factor")),
          1.05, all);
  }
  if (scaling == "dynamic") {
    add_other_values(world, story, "seq-len", all);
    for (const char* growth : {"per-length", "frozen", "never-shrinking", "resetting"})
      add_both(world, story, changed({{"growth", growth}}),
               fmt::format("growth {}, where {} is meant", growth, meant(world, "growth")), 1.05,
               all);
    const std::string longest = text_of(world, story, "max-position");
    for (const std::string& length : {longest, text_of(world, story, "original-max-position")})
      if (!length.empty())
        add_both(world, story, changed({{"seq-len", length}}),
                 fmt::format("the base is that of a sequence of {}", length), 1.06, all);
  }
  if (scaling == "ntk")
    for (const char* form : {"aware", "old", "fixed", "mixed"})
      add_both(
          world, story, changed({{"ntk-form", form}}),
          fmt::format("ntk in the form '{}', where {} is meant", form, meant(world, "ntk-form")),
          1.05, all);
  return all;
}

constexpr TurnCause rows[] = {
    {{"scaling-missing", "the frequencies are not scaled", "turns"}, "scaling", missing},
    {{"longrope-other-list", "the short factors stand for the long ones, or the reverse", "turns"},
     "scaling",
     other_list},
    {{"longrope-mixed", "rows change from the short factors to the long ones", "turns"},
     "scaling",
     mixed_lists},
    {{"scaling-inverted", "frequencies are multiplied by what should divide them", "turns"},
     "scaling",
     inverted},
    {{"scaling-twice", "the scaling was applied twice", "turns"}, "scaling", twice},
    {{"yarn-truncate", "the ramp's ends are rounded where they should not be, or the reverse",
      "turns"},
     "scaling",
     yarn_truncate},
    {{"yarn-betas-swapped", "beta-fast and beta-slow were exchanged", "turns"},
     "scaling",
     yarn_betas},
    {{"yarn-clamp", "the ramp's upper end is clamped elsewhere", "turns"}, "scaling", yarn_clamp},
    {{"yarn-original-length", "the ramp comes from another original length", "turns"},
     "scaling",
     yarn_original},
    {{"yarn-ramp", "the ramp has another shape", "turns"}, "scaling", yarn_ramp},
    {{"wrong-scaling", "the frequencies are those of another scaling", "turns"},
     "scaling",
     other_kind},
    {{"wrong-parameter", "the scaling is right and one of its parameters is not", "turns"},
     "scaling",
     parameter},
    {{"scaling-on-some-rows", "some rows are scaled and others are not", "turns"},
     "scaling",
     on_some_rows},
};

}  // namespace

std::span<const TurnCause> scaling_causes() { return rows; }

}  // namespace pe
