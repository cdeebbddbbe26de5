// Causes of scaling: a rule that is missing, doubled, turned round, another one, or told another parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

bool is_scaled(const TurnWorld& world, const TurnStory& story) {
  const std::string scaling = text_of(world, story, "scaling");
  return !scaling.empty() && scaling != "none";
}

Given changed(std::initializer_list<std::pair<const char*, std::string>> changes) {
  Given given;
  for (const auto& [name, text] : changes) given[name] = {text, "diagnosis", ""};
  return given;
}

// With the amplitude of the other rule, and with the one that is meant.
void add_both(const TurnWorld& world, const TurnStory& story, const Given& changes, const std::string& sentence, double cost, TurnProposals& all) {
  auto other = remade(world, story, changes);
  if (!other) return;
  all.push_back({*other, sentence, cost});
  if (other->cosine_magnitude == story.cosine_magnitude) return;
  other->cosine_magnitude = story.cosine_magnitude, other->sine_magnitude = story.sine_magnitude;
  all.push_back({*other, sentence + " (the attention factor is there)", cost + 0.01});
}

TurnProposals missing(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (is_scaled(world, story)) add_both(world, story, changed({{"scaling", "none"}}), fmt::format("frequencies are those without scaling {}", meant(world, "scaling")), 1, all);
  return all;
}

// Each pair's ratio to the unscaled frequency, taken otherwise.
TurnProposals with_ratio(const TurnWorld& world, const TurnStory& story, double (*change)(double ratio), std::string sentence) {
  const std::vector<double>& unscaled = world.truth().unscaled;
  if (!is_scaled(world, story) || unscaled.size() < story.frequencies.size()) return {};
  TurnStory other = story;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j)
    if (unscaled[j] > 0) other.frequencies[j] = unscaled[j] * change(story.frequencies[j] / unscaled[j]);
  if (other.frequencies == story.frequencies) return {};
  return {{other, std::move(sentence)}};
}

TurnProposals inverted(const TurnWorld& world, const TurnStory& story) {
  const std::string factor = text_of(world, story, "factor");
  TurnProposals all;
  if (const double s = std::atof(factor.c_str()); is_scaled(world, story) && s > 0)
    add_both(world, story, changed({{"factor", fmt::format("{:.17g}", 1 / s)}}), fmt::format("factor 1/{}, where {} is meant: frequencies are multiplied where the scaling divides them", factor, meant(world, "factor")), 1, all);
  for (auto& one : with_ratio(world, story, [](double r) { return 1 / r; }, "frequencies are multiplied where the scaling divides them"))
    all.push_back(one);
  return all;
}

TurnProposals twice(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all = with_ratio(world, story, [](double r) { return r * r; }, "the scaling was applied twice");
  // llama3 asks each frequency for its turns within the original length, and the second time the scaled ones.
  if (text_of(world, story, "scaling") != "llama3") return all;
  const auto number = [&](const char* name) { return std::atof(text_of(world, story, name).c_str()); };
  const double s = number("factor"), low = number("low-freq-factor"), high = number("high-freq-factor"), original = number("original-max-position");
  TurnStory other = story;
  for (double& f : other.frequencies) {
    const double share = std::clamp((original * f / (2 * std::numbers::pi) - low) / (high - low), 0.0, 1.0);
    f *= share + (1 - share) / s;
  }
  all.push_back({other, "the scaling was applied twice, the second time to scaled frequencies"});
  return all;
}

TurnProposals other_kind(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  const std::string now = text_of(world, story, "scaling"), factor = text_of(world, story, "factor");
  if (now.empty()) return all;
  const bool scaled = is_scaled(world, story);
  const std::string sentence = scaled ? fmt::format("where {} is meant", meant(world, "scaling")) : "where none is meant";
  for (const char* name : {"linear", "ntk", "dynamic", "yarn", "llama3", "longrope", "ntk-by-parts"}) {
    if (now == name) continue;
    std::set<std::string> factors{factor.empty() ? "" : factor};
    if (!scaled) factors = {"2", "4", "8", "16", "32"};
    for (const std::string& s : factors) {
      Given changes = changed({{"scaling", name}});
      if (!s.empty()) changes["factor"] = {s, "diagnosis", ""};
      const std::string original = text_of(world, story, "original-max-position");
      changes["original-max-position"] = {original.empty() ? text_of(world, story, "max-position") : original, "diagnosis", ""};
      if (std::string_view(name) == "linear" || std::string_view(name) == "ntk") changes["original-max-position"].text = "";
      add_both(world, story, changes, fmt::format("frequencies are those of {} scaling{}, {}", name, s.empty() ? "" : " by " + s, sentence), scaled ? 1.02 : 1.1, all);
    }
  }
  return all;
}

TurnProposals on_some_rows(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_scaled(world, story) || !world.has_rows() || world.reading().run > 0 || text_of(world, story, "scaling") == "longrope" || story.frequencies != world.truth().frequencies) return all;
  const auto plain = remade(world, story, changed({{"scaling", "none"}}));
  if (!plain) return all;
  // The first row that is not what one of both says: probes tell the neighbourhood, rows in between are looked up.
  for (const bool scaled_first : {false, true}) {
    const TurnStory &first = scaled_first ? story : *plain, &then = scaled_first ? *plain : story;
    const TurnPrediction prediction(first, world.truth().growth, 0x1p-24, unit_roundoff(world.dtype()));
    std::vector<double> c(world.pairs()), s = c, bound = c;
    Index boundary = -1;
    world.scan([&](Index row, const double* cosine, const double* sine) {
      prediction.row(row, c.data(), s.data(), bound.data());
      for (std::size_t j = 0; j < c.size(); ++j)
        if (std::fabs(cosine[j] - c[j]) > bound[j] || std::fabs(sine[j] - s[j]) > bound[j]) boundary = row;
      return boundary < 0;
    });
    if (boundary <= 1) continue;
    TurnStory mixed = first;
    mixed.split = TurnStory::Split{boundary, then.frequencies, then.cosine_magnitude};
    all.push_back({mixed, fmt::format("rows before {} are {}, rows from it on are {}", boundary, scaled_first ? "scaled" : "not scaled", scaled_first ? "not" : "scaled")});
  }
  return all;
}

// Whole numbers and simple multiples that a parameter is mistaken for.
std::vector<std::string> candidates(const TurnWorld& world, const TurnStory& story, const std::string& name) {
  const std::string text = text_of(world, story, name);
  std::vector<std::string> values;
  if (text.empty()) return values;
  const double value = std::atof(text.c_str());
  const auto add = [&](double v) {
    if (v > 0 && v != value && std::isfinite(v)) values.push_back(fmt::format("{:.17g}", v));
  };
  const double max = std::atof(text_of(world, story, "max-position").c_str()), original = std::atof(text_of(world, story, "original-max-position").c_str()),
               factor = std::atof(text_of(world, story, "factor").c_str());
  if (name == "factor") {
    if (original > 0) add(max / original);
    for (const double v : {value / 2, value * 2, 2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 64.0}) add(v);
  }
  if (name == "original-max-position" || name == "seq-len") {
    for (const double v : {max, original * factor, max / factor, original, value / 2, value * 2, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131072.0})
      if (v == std::floor(v) && v >= 1) add(v);
  }
  return values;
}

void add_other_values(const TurnWorld& world, const TurnStory& story, const std::string& name, TurnProposals& all) {
  for (const std::string& value : candidates(world, story, name)) add_both(world, story, changed({{name.c_str(), value}}), fmt::format("{} {}, where {} is meant", name, value, meant(world, name)), text_of(world, story, "scaling") == "linear" ? 1 : 1.05, all);
}

TurnProposals parameter(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_scaled(world, story)) return all;
  const std::string scaling = text_of(world, story, "scaling");
  add_other_values(world, story, "factor", all);
  if (scaling != "yarn") add_other_values(world, story, "original-max-position", all);
  if (scaling == "llama3") {
    const std::string low_is = text_of(world, story, "low-freq-factor"), high_is = text_of(world, story, "high-freq-factor");
    const auto times = [](const std::string& text, double k) { return fmt::format("{:g}", k * std::atof(text.c_str())); };
    std::vector<std::pair<std::string, std::string>> others{{high_is, low_is}, {"1", "4"}, {"8", "32"}, {"1", "32"}};
    for (const double k : {0.5, 2.0, 4.0}) others.emplace_back(times(low_is, k), high_is), others.emplace_back(low_is, times(high_is, k));
    for (const auto& [low, high] : others)
      add_both(world, story, changed({{"low-freq-factor", low}, {"high-freq-factor", high}}),
               fmt::format("low and high frequency factors {} and {}, where {} and {} are meant", low, high, meant(world, "low-freq-factor"), meant(world, "high-freq-factor")), 1.05, all);
  }
  if (scaling == "dynamic") {
    add_other_values(world, story, "seq-len", all);
    for (const char* growth : {"per-length", "frozen", "never-shrinking", "resetting"})
      add_both(world, story, changed({{"growth", growth}}), fmt::format("growth {}, where {} is meant", growth, meant(world, "growth")), 1.05, all);
    const std::string longest = text_of(world, story, "max-position");
    for (const std::string& length : {longest, text_of(world, story, "original-max-position")})
      if (!length.empty()) add_both(world, story, changed({{"seq-len", length}}), fmt::format("the base is that of a sequence of {}", length), 1.06, all);
  }
  if (scaling == "ntk")
    for (const char* form : {"aware", "old", "fixed", "mixed"})
      add_both(world, story, changed({{"ntk-form", form}}), fmt::format("ntk in the form '{}', where {} is meant", form, meant(world, "ntk-form")), 1.05, all);
  return all;
}

bool is_yarn(const TurnWorld& world, const TurnStory& story) { return text_of(world, story, "scaling") == "yarn"; }

TurnProposals yarn_truncate(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_yarn(world, story)) return all;
  const bool now = text_of(world, story, "truncate") != "false";
  add_both(world, story, changed({{"truncate", now ? "false" : "true"}}),
           fmt::format("the ramp's ends are {} whole pairs, where truncate {} is meant", now ? "not rounded to" : "rounded to", meant(world, "truncate")), 1, all);
  return all;
}

// The share w of the divided frequency that each pair has, put to another use: from the unscaled frequency, the factor and j/n.
void ramped(const TurnWorld& world, const TurnStory& story, double (*use)(double unscaled, double factor, double part, double share), const std::string& sentence, double cost, TurnProposals& all) {
  const std::vector<double>& unscaled = world.truth().unscaled;
  const double s = std::atof(text_of(world, story, "factor").c_str()), n = static_cast<double>(story.frequencies.size());
  if (!(s > 1) || unscaled.size() < story.frequencies.size()) return;
  TurnStory other = story;
  for (std::size_t j = 0; j < other.frequencies.size(); ++j) {
    const double share = (1 - story.frequencies[j] / unscaled[j]) / (1 - 1 / s);
    other.frequencies[j] = use(unscaled[j], s, static_cast<double>(j) / n, std::clamp(share, 0.0, 1.0));
  }
  all.push_back({other, sentence, cost});
}

TurnProposals yarn_betas(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_yarn(world, story)) return all;
  const std::string fast = text_of(world, story, "beta-fast"), slow = text_of(world, story, "beta-slow");
  add_both(world, story, changed({{"beta-fast", slow}, {"beta-slow", fast}}), fmt::format("beta-fast and beta-slow ({} and {}) were exchanged", fast, slow), 1, all);
  ramped(world, story, [](double f, double s, double, double w) { return f * (w + (1 - w) / s); }, "the ramp is turned round, as exchanged betas turn it: fast pairs are divided and slow ones kept", 1.02, all);
  ramped(world, story, [](double f, double s, double, double w) { return f * (w > 0 ? 1 / s : 1); }, "the ramp is a step at its lower end, as exchanged betas make it in ggml", 1.02, all);
  ramped(world, story, [](double f, double s, double, double w) { return f * (w < 1 ? 1 : 1 / s); }, "the ramp is a step at its upper end, as exchanged betas make it in ggml", 1.02, all);
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
    add_both(world, story, changed({{"ramp-clamp", clamp}}), fmt::format("the ramp's upper end is clamped by '{}', where {} is meant", clamp, meant(world, "ramp-clamp")), 1, all);
  return all;
}

TurnProposals yarn_ramp(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!is_yarn(world, story)) return all;
  add_both(world, story, changed({{"beta-fast", "32"}, {"beta-slow", "1"}}), fmt::format("betas 32 and 1, where {} and {} are meant", meant(world, "beta-fast"), meant(world, "beta-slow")), 1, all);
  add_both(world, story, changed({{"ramp", "rotation"}}), "the ramp is linear in the turns within the original length, not in the pair's number", 1.02, all);
  ramped(world, story, [](double f, double s, double part, double w) { return f * (1 - w) + w * f * std::pow(s, -part); }, "the factor stands within the power, (s·base)^(−2j/d)", 1.02, all);
  ramped(world, story, [](double f, double s, double, double w) { return f * (1 - w * w + w * w / s); }, "the ramp's share is squared", 1.05, all);
  return all;
}

std::optional<std::pair<TurnStory, TurnStory>> lists(const TurnWorld& world, const TurnStory& story) {
  if (text_of(world, story, "scaling") != "longrope") return {};
  const auto list = [&](const char* name) {
    const auto other = remade(world, story, changed({{"factor-list", name}}));
    return other ? *other : story;  // remade() gives nothing where nothing changes
  };
  return std::pair{list("short"), list("long")};
}

TurnProposals other_list(const TurnWorld& world, const TurnStory& story) {
  const auto both = lists(world, story);
  if (!both) return {};
  const auto& [brief, extended] = *both;
  TurnProposals all;
  for (const auto& [other, name] : {std::pair{&brief, "short"}, {&extended, "long"}})
    if (other->frequencies != story.frequencies) all.push_back({*other, fmt::format("every row has the {} factors, where the {} ones are meant", name, std::string_view(name) == "short" ? "long" : "short")});
  return all;
}

TurnProposals mixed_lists(const TurnWorld& world, const TurnStory& story) {
  const auto both = lists(world, story);
  if (!both || !world.has_rows() || world.reading().run > 0) return {};
  const auto original = static_cast<Index>(std::atof(text_of(world, story, "original-max-position").c_str()));
  TurnProposals all;
  for (const Index row : {original, original + 1, original - 1}) {
    if (row <= 0 || row >= world.reading().rows) continue;
    TurnStory mixed = both->first;
    mixed.split = TurnStory::Split{row, both->second.frequencies, both->second.cosine_magnitude};
    all.push_back({mixed, fmt::format("rows before {} have the short factors, rows from it on the long ones: one sequence has two rotations", row)});
    if (row != original) continue;
    // vLLM's cache: the long table from position 0 stands behind the short one.
    mixed.position = [before = story.position, row](Index r, std::size_t axis) { return before(r < row ? r : r - row, axis); };
    all.push_back({mixed, fmt::format("rows from {} on are the long table from position 0 again: two tables in one, as vLLM stacks them", row)});
  }
  return all;
}

constexpr TurnCause rows[] = {
    {{"scaling-missing", "the frequencies are not scaled", "turns"}, "scaling", missing},
    {{"longrope-other-list", "the short factors stand for the long ones, or the reverse", "turns"}, "scaling", other_list},
    {{"longrope-mixed", "rows change from the short factors to the long ones", "turns"}, "scaling", mixed_lists},
    {{"scaling-inverted", "frequencies are multiplied by what should divide them", "turns"}, "scaling", inverted},
    {{"scaling-twice", "the scaling was applied twice", "turns"}, "scaling", twice},
    {{"yarn-truncate", "the ramp's ends are rounded where they should not be, or the reverse", "turns"}, "scaling", yarn_truncate},
    {{"yarn-betas-swapped", "beta-fast and beta-slow were exchanged", "turns"}, "scaling", yarn_betas},
    {{"yarn-clamp", "the ramp's upper end is clamped elsewhere", "turns"}, "scaling", yarn_clamp},
    {{"yarn-original-length", "the ramp comes from another original length", "turns"}, "scaling", yarn_original},
    {{"yarn-ramp", "the ramp has another shape", "turns"}, "scaling", yarn_ramp},
    {{"wrong-scaling", "the frequencies are those of another scaling", "turns"}, "scaling", other_kind},
    {{"wrong-parameter", "the scaling is right and one of its parameters is not", "turns"}, "scaling", parameter},
    {{"scaling-on-some-rows", "some rows are scaled and others are not", "turns"}, "scaling", on_some_rows},
};

}  // namespace

std::span<const TurnCause> scaling_causes() { return rows; }

}  // namespace pe
