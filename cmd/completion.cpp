// Completion of a begun command line: subcommands, options, and what an option may be given.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "option_tree.hpp"
#include "pe/encodings/encoding.hpp"
#include "values.hpp"

namespace pe::cmd {
namespace {

// The subcommand of that name, or null.
const CLI::App* below(const CLI::App& command, std::string_view name) {
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().front();
}

Values values_for(const CLI::App& command, const CLI::Option& option,
                  const std::vector<std::string>& typed) {
  return values_of(command, name_of(option), option.get_type_name(), typed);
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// The option that this word is, among those of the command; null where it is none.
const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  return word.starts_with('-') ? command.get_option_no_throw(word) : nullptr;
}

std::string spell(const Candidate& candidate, const std::string& before, const std::string& begun) {
  if (!candidate.word.starts_with(begun)) return "";
  return fmt::format("{}{} {}\n", before, candidate.word, candidate.says);
}

// `before` stays as it was typed: "--dtype=", "cos,".
std::string spell(const Values& values, std::string before, std::string begun) {
  if (!values.files.empty()) return fmt::format(" files {}\n", values.files);
  if (const std::size_t comma = begun.rfind(','); values.list && comma != std::string::npos) {
    before += begun.substr(0, comma + 1);
    begun = begun.substr(comma + 1);
  }
  const auto is_there = [&](const std::string& word) {
    return values.list && (before.ends_with("=" + word + ",") || before.starts_with(word + ",") ||
                           before.find("=" + word + ",") != before.npos ||
                           before.find("," + word + ",") != before.npos);
  };
  std::string text;
  for (const Candidate& candidate : values.candidates)
    if (!is_there(candidate.word)) text += spell(candidate, before, begun);
  return text;
}

// Where an encoding may stand, a model's name or its config may stand for it.
bool may_be_left_out(const CLI::App& command) {
  return std::ranges::any_of(all_encodings(), [&](const Encoding* encoding) {
    return below(command, encoding->name) != nullptr;
  });
}

std::string spell_options(const CLI::App& command, const std::string& begun) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional() && !option->get_group().empty())
      text += spell({name_of(*option),
                     name_of(*option) == "--help" ? "this page" : option->get_description()},
                    "", begun);
  if (may_be_left_out(command) && !option_named(command, "--model"))
    for (const char* name : {"--model", "--config"})
      text += spell({name, "the encoding that this means"}, "", begun);
  return text;
}

std::string spell_commands(const CLI::App& command, const std::string& begun) {
  std::string text;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty())
      text += spell({sub->get_name(), sub->get_description()}, "", begun);
  return text;
}

// The words after the subcommands, the last of them begun.
std::string spell_word(const CLI::App& command, const std::vector<std::string>& typed,
                       const std::string& begun) {
  std::size_t placed = 0;
  bool value = false;
  for (const std::string& word : typed) {
    const CLI::Option* option = option_named(command, word);
    placed += !value && !word.starts_with('-') ? 1 : 0;
    value = !value && option && takes_value(*option);
  }
  if (value)
    return spell(values_for(command, *option_named(command, typed.back()), typed), "", begun);
  if (!typed.empty() && (typed.back() == "--model" || typed.back() == "--config"))
    return spell(values_of(command, typed.back(), "", typed), "", begun);
  if (const std::size_t equals = begun.find('=');
      begun.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = option_named(command, begun.substr(0, equals));
    if (!option) return "";
    return spell(values_for(command, *option, typed), begun.substr(0, equals + 1),
                 begun.substr(equals + 1));
  }
  if (begun.starts_with('-')) return spell_options(command, begun);
  if (typed.empty())
    if (const std::string text = spell_commands(command, begun); !text.empty()) return text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) continue;
    const auto most = static_cast<std::size_t>(option->get_items_expected_max());
    if (placed < most) return spell(values_for(command, *option, typed), "", begun);
    placed -= most;
  }
  return begun.empty() ? spell_options(command, begun) : "";
}

}  // namespace

std::string completions(std::vector<std::string> words, const WithApp& with_app) {
  std::string begun, text;
  if (!words.empty()) {
    begun = words.back();
    words.pop_back();
  }
  const auto complete = [&](const CLI::App& app, const CommandLine& line) {
    const CLI::App* found = &app;
    auto word = line.words().begin();
    while (word != line.words().end() && below(*found, *word)) found = below(*found, *word++);
    text = spell_word(*found, {word, line.words().end()}, begun);
  };
  try {
    with_app(words, complete);
  } catch (const std::exception&) {
    text.clear();  // what stands there already is wrong
  }
  return text;
}

}  // namespace pe::cmd
