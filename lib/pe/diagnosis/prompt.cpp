// Segments that nobody gave: text alone, unless the dump is of the encoding's example.
#include "pe/diagnosis/prompt.hpp"

namespace pe {
namespace {

constexpr const char* segments = "segments";

std::optional<Expectation> of_text_alone(const Expectation& expected) {
  if (!expected.remake || !expected.parameters.has(segments) ||
      expected.parameters.origin(segments) != "default")
    return {};
  auto remade = expected.remake({{segments, std::string("text:1")}});  // and on behind it
  if (!remade) return {};
  Expectation text = expected;
  text.parameters = std::move(remade->parameters);
  text.effect = std::move(remade->effect);
  text.remake = [remake = expected.remake](Settings changes) {
    changes.try_emplace(segments, std::string("text:1"));
    return remake(changes);
  };
  return text;
}

Diagnosis compared(Expectation expected, const Dump& dump, const Judge& judge) {
  expected.searches = false;
  return judge(expected, dump);
}

}  // namespace

std::optional<Diagnosis> judge_prompt(const Expectation& expected, const Dump& dump,
                                      const Judge& judge) {
  const auto text = of_text_alone(expected);
  if (!text) return {};
  const Diagnosis example = compared(expected, dump, judge);
  if (example.tier != Tier::wrong) return example;
  const Diagnosis plain = compared(*text, dump, judge);
  bool is_text = plain.tier != Tier::wrong || plain.rounded_otherwise <= example.rounded_otherwise;
  Diagnosis told = judge(is_text ? *text : expected, dump);
  if (told.tier == Tier::wrong && told.reasons.empty())
    if (Diagnosis other = judge(is_text ? expected : *text, dump); !other.reasons.empty()) {
      told = std::move(other);
      is_text = !is_text;
    }
  (told.tier == Tier::wrong ? told.notes : told.doubts)
      .push_back(is_text ? "taken for a prompt of text alone, and nothing said so (--segments)"
                         : "segments are the default's, and nothing said which (--segments)");
  return told;
}

}  // namespace pe
