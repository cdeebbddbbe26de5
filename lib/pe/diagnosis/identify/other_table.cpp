// A dump that no fault explains, asked what it is instead.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/digits.hpp"
#include "pe/base/error.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/identify.hpp"
#include "pe/diagnosis/identify/rotations.hpp"
#include "pe/diagnosis/identify/scores.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

// The grid's convention that is meant, where another was found, which may be the default and go
// without saying; "" where it is the same, or there is none.
std::string other_convention(const Expectation& expected, const Identification& found) {
  const auto named = [](const auto& entries) {
    return std::ranges::find(entries, "convention", &Parameters::Entry::name);
  };
  const auto meant = named(expected.parameters.entries()), one = named(found.parameters);
  const bool is_other =
      meant != expected.parameters.entries().end() &&
      (one == found.parameters.end() ? meant->origin != "default" : one->text != meant->text);
  return is_other ? meant->text : "";
}

// Whether two parameters say the same, 8 and 8.0 included.
bool are_same(const Parameters::Entry& one, const Parameters::Entry& other) {
  if (one.name != other.name) return false;
  if (one.text == other.text) return true;
  return one.type == Parameter::Type::number && other.type == Parameter::Type::number &&
         Decimal(one.text).value() == Decimal(other.text).value();
}

// Whether every parameter that tells the table is as it is meant.
bool is_meant(const Expectation& expected, const Identification& found) {
  const auto& meant = expected.parameters.entries();
  return found.encoding == expected.encoding && other_convention(expected, found).empty() &&
         std::ranges::all_of(found.parameters, [&](const Parameters::Entry& one) {
           return std::ranges::any_of(
               meant, [&](const Parameters::Entry& other) { return are_same(one, other); });
         });
}

// The bases, found and meant, where nothing else is another; nothing where something is.
std::optional<std::pair<std::string, std::string>> other_base_alone(const Expectation& expected,
                                                                    const Identification& found) {
  const auto& meant = expected.parameters.entries();
  std::optional<std::pair<std::string, std::string>> bases;
  const bool scaled = expected.parameters.has("scaling");
  if (found.encoding != expected.encoding ||
      (scaled && found.scaling != expected.parameters.choice("scaling")))
    return {};
  for (const Parameters::Entry& one : found.parameters) {
    const auto other = std::ranges::find(meant, one.name, &Parameters::Entry::name);
    if (other == meant.end()) return {};
    if (are_same(one, *other)) continue;
    if (one.name != "base") return {};
    bases = {one.text, other->text};
  }
  return bases;
}

// Whether a scaling makes contexts longer: one that makes them shorter is another fault that its
// numbers happen to fit.
bool stretches(const Identification& found) {
  return std::ranges::none_of(found.parameters, [](const Parameters::Entry& one) {
    return one.name == "factor" && Decimal(one.text).value() < 1;
  });
}

// Whether the base is one that somebody chose: of few digits, or the one that is meant. Another
// one, beside a scaling, is what fits a fault that has no name.
bool is_chosen(const Identification& found, const Expectation& expected) {
  const auto base = std::ranges::find(found.parameters, "base", &Parameters::Entry::name);
  if (base == found.parameters.end() || found.scaling.empty() || found.scaling == "none")
    return true;
  constexpr int few_digits = 4;
  const double value = Decimal(base->text).value();
  return has_digits(value, few_digits) ||
         (expected.parameters.has("base") && expected.parameters.number("base").value() == value);
}

// Of lists of numbers the first few.
std::string short_lists(const std::string& text) {
  constexpr int most = 3;
  std::string shortened;
  int numbers = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(", ", from), text.size());
    const std::string word = text.substr(from, end - from);
    const bool is_number = word.find_first_not_of("0123456789.e+-") == std::string::npos;
    numbers = is_number ? numbers + 1 : 0;
    if (numbers < most) shortened += (shortened.empty() ? "" : ", ") + word;
    if (numbers == most) shortened += ", …";
    from = end + 2;
  }
  return shortened;
}

// "rope", or, where rope was found, what tells it apart: "rope, base 500000, llama3 scaling by 8 of
// 8192".
std::string words_of_meant(const Expectation& expected, const Identification& found) {
  std::string words(expected.encoding->name);
  if (found.encoding != expected.encoding || !expected.parameters.has("scaling")) return words;
  const Settings meant = settings_of(expected.parameters);
  if (const auto base = meant.find("base"); base != meant.end())
    words += ", base " + spell(base->second);
  const std::string scaling = expected.parameters.choice("scaling");
  words += scaling == "none" ? ", no scaling" : ", " + spell_scaling(find_scaling(scaling), meant);
  return words;
}

// What was found, where it holds for every value.
template <typename Identify>
std::optional<Identification> whole(const Identify& identify) try {
  auto found = identify();
  const bool is_whole = found && found->encoding && found->diagnosis.tier != Tier::wrong &&
                        found->diagnosis.reasons.empty() && stretches(*found);
  return is_whole ? std::move(found) : std::nullopt;
} catch (const UsageError&) {  // the arrays cannot be read so
  return {};
}

// A ladder of one axis first, of any width and layout.
std::optional<Identification> whole_table(const Expectation& expected, const Dump& dump) {
  const std::string& layout = expected.layout;
  if (const Kind kind = kind_of(expected.effect); kind == Kind::bias || kind == Kind::relative) {
    const bool is_one =
        dump.before.empty() && dump.arrays.size() == 1 && !dump.arrays[0].is_complex;
    if (!is_one) return {};
    return whole([&] { return identify_scores(dump, layout); });
  }
  if (auto turns = whole([&] { return identify_turns(dump, layout, Admit::held_tables); }))
    return turns;
  if (auto sections = whole([&] { return identify_sections(dump, layout); })) return sections;
  return whole([&] { return identify_grid(dump, layout); });
}

}  // namespace

std::optional<OtherTable> other_table(const Expectation& expected, const Dump& dump) {
  const auto found = whole_table(expected, dump);
  if (!found || found->encoding->kind != expected.encoding->kind || is_meant(expected, *found) ||
      !is_chosen(*found, expected))
    return {};
  // Vectors along another axis hold the same turns.
  if (!dump.before.empty() && found->first != expected.first) return {};
  std::string from;
  if (found->first != expected.first || found->step != expected.step)
    from = fmt::format(" from position {} on", found->first);
  if (found->step != expected.step) from += fmt::format(" in steps of {}", found->step);
  const std::string convention =
      found->encoding == expected.encoding ? other_convention(expected, *found) : "";
  if (const auto bases = other_base_alone(expected, *found); bases && from.empty())
    return OtherTable{
        {Cause::wrong_base, fmt::format("base {}, where {} is meant", bases->first, bases->second)},
        found->diagnosis.worst};
  const bool is_refitted =
      found->encoding == expected.encoding && found->encoding->name == "kerple";
  return OtherTable{{is_refitted ? Cause::wrong_parameter : Cause::other_table,
                     fmt::format("this is {}{}, where {}{} is meant", short_lists(found->summary),
                                 from, is_refitted ? "another" : words_of_meant(expected, *found),
                                 convention.empty() ? "" : ", convention " + convention)},
                    found->diagnosis.worst};
}

}  // namespace pe
