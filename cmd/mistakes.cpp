// One function for each class of CLI11's errors.
#include "mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lexicon.hpp"
#include "option_names.hpp"
#include "stray_words.hpp"
#include "unknown_word.hpp"

namespace pe::cmd {
namespace {

// The option that a message of CLI11 begins with or speaks of; null where it names none.
const CLI::Option* option_in(const CLI::App& app, const std::string& text) {
  const CLI::Option* found = nullptr;
  std::size_t first = text.size();
  for (const CLI::Option* option : app.get_options()) {
    const std::size_t at = text.find(option->get_name());
    const std::size_t end = at + option->get_name().size();
    const bool whole = at < first && (end == text.size() || text.find_first_of(": ,", end) == end);
    if (!whole) continue;
    found = option;
    first = at;
  }
  return found;
}

// How the option was called, each once.
std::vector<std::string> calls_of(const CLI::Option& option,
                                  const std::vector<std::string>& typed) {
  std::vector<std::string> calls;
  for (const std::string& word : typed)
    for (const std::string& name : option.get_lnames())
      if ((word == "--" + name || word.starts_with("--" + name + "=")) &&
          std::ranges::find(calls, "--" + name) == calls.end())
        calls.push_back("--" + name);
  return calls;
}

std::string wrong_count(const CLI::App& app, const std::string& text,
                        const std::vector<std::string>& typed) {
  const CLI::Option* option = option_in(app, text);
  if (!option) return "an option has too few or too many values";
  const std::vector<std::string>& values = option->results();
  const std::string name = option->get_name();
  if (values.size() < 2 || option->get_expected_max() > 1)
    return fmt::format("{} needs a value{}", name,
                       option->get_type_name().empty() ? "" : ", " + option->get_type_name());
  const std::vector<std::string> calls = calls_of(*option, typed);
  if (calls.size() > 1)
    return fmt::format("{} are one option, and have {}", fmt::join(calls, " and "),
                       fmt::join(values, " and "));
  const std::string beside =
      has(app, "versus") && name != "--output" && option->get_group() != "Output"
          ? fmt::format("; --versus '{} {} {}' puts another beside it", app.get_name(), name,
                        values.back())
          : "";
  return fmt::format("{} is given {}: {}{}", name, values.size() == 2 ? "twice" : "several times",
                     fmt::join(values, ", "), beside);
}

// Words that nobody took, those before the subcommand among them.
std::vector<std::string> all_strays(const CLI::App& app) {
  return app.get_parent() ? all_strays(*app.get_parent()) : app.remaining(true);
}

std::string first_example(const std::string& footer) {
  const std::size_t start = footer.find("pe-");
  return start == std::string::npos ? "list"
                                    : footer.substr(start, footer.find('\n', start) - start);
}

std::string missing(const CLI::App& app, const std::string& lead,
                    const std::vector<std::string>& typed) {
  const bool wants_command = app.get_subcommands().empty() && app.get_require_subcommand_min() > 0;
  if (wants_command && lead.starts_with("pe-verify"))
    for (const std::string& word : typed)
      if (is_dump(word))
        return fmt::format(
            "'{0}' needs the name of what it should be, as in pe-verify check rope --file {0}; "
            "pe-verify identify {0} tells without one",
            word);
  if (wants_command && !app.get_parent() && !typed.empty() && typed.front().starts_with('-'))
    return fmt::format(
        "'{}' stands where a name belongs, and options behind it: for example {}; {} list names "
        "all that there are",
        typed.front(), first_example(app.get_footer()), lead);
  if (wants_command && !app.get_parent())
    return fmt::format("which one? For example {}; {} list names all that there are",
                       first_example(app.get_footer()), lead);
  if (wants_command)
    return fmt::format("{} needs the name of an encoding, such as {} {}, or --model NAME",
                       app.get_name(), lead, encoding_for(app.get_name()));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && option->count() == 0) names.push_back(option->get_name());
  for (const std::string& word : typed)
    if (const std::size_t comma = word.find(','); app.get_name() == "compare" &&
                                                  names.size() == 1 && comma != std::string::npos &&
                                                  is_dump(word))
      return fmt::format("'{}' is one word: did you mean {} {}?", word, word.substr(0, comma),
                         word.substr(comma + 1));
  if (app.get_name() == "compare" && names == std::vector<std::string>{"B"})
    return fmt::format("compare needs a second dump: {} A B", lead);
  const bool one_file = names.size() == 1 && names.front() == "FILE";
  return fmt::format("{} needs {}{}", app.get_name(),
                     names.empty() ? "more" : fmt::format("{}", fmt::join(names, " and ")),
                     one_file ? ", or - for standard input" : "");
}

}  // namespace

std::string message_of(const CLI::ParseError& error, const CLI::App& app, const std::string& lead,
                       const std::vector<std::string>& typed) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> stray = all_strays(app);
    for (std::size_t i = 0; i < stray.size(); ++i)
      if (stray[i].starts_with("-") && stray[i].size() > 1)
        return unknown_option(app, stray[i], i + 1 < stray.size() ? stray[i + 1] : "");
    if (!stray.empty()) return stray_words(app, stray, lead, typed);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return missing(app, lead, typed);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return wrong_count(app, text, typed);
  const CLI::Option* option = option_in(app, text);
  if (dynamic_cast<const CLI::ConversionError*>(&error) && option)
    return fmt::format("{} takes no value", option->get_name());
  return option ? fmt::format("{} cannot be read as it is given", option->get_name())
                : "the words cannot be read as options";
}

}  // namespace pe::cmd
