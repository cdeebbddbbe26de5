// Exit codes, error lines and subcommands.
#include "tool.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "leaving.hpp"
#include "list.hpp"
#include "option_tree.hpp"
#include "pe/base/error.hpp"
#include "talk.hpp"
#include "versions.hpp"

namespace pe::cmd {
namespace {

// An option that `app` does not have, with the nearest that it has.
std::string unknown_option(const CLI::App& app, std::string_view option) {
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options())
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  const std::string near = nearest(option.substr(0, option.find('=')), names);
  return fmt::format("unknown option '{}'{}", option,
                     near.empty() ? "" : fmt::format(": did you mean {}?", near));
}

// CLI11 speaks of its own concepts; these are the words of ours.
std::string message_of(const CLI::ParseError& error, const CLI::App& app) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error))
    for (const std::string& word : app.remaining(true))
      if (word.starts_with("-")) return unknown_option(app, word);
  if (dynamic_cast<const CLI::RequiredError*>(&error) && app.get_subcommands().empty() &&
      app.get_require_subcommand_min() > 0)
    return app.get_parent() ? fmt::format("{} needs the name of an encoding", app.get_name())
                            : "which one? name what to do";
  std::string text = error.what();
  for (char& c : text)
    if (c == '\n') c = ' ';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// The subcommand that was asked for last, and the words that lead to it.
std::pair<const CLI::App*, std::string> deepest(const CLI::App&&) = delete;
std::pair<const CLI::App*, std::string> deepest(const CLI::App& app) {
  const CLI::App* found = &app;
  std::string words = app.get_name();
  while (!found->get_subcommands().empty()) {
    found = found->get_subcommands().front();
    words += " " + found->get_name();
  }
  return {found, words};
}

void parse(CLI::App& app, const CommandLine& line) {
  try {
    line.parse(app);
  } catch (const CLI::Success&) {  // --help, --version
    print(app.get_version_ptr()->count() > 0 ? app.version() + "\n" : deepest(app).first->help());
  } catch (const CLI::ParseError& error) {
    const auto [command, words] = deepest(app);
    throw UsageError(fmt::format("{} (see {} --help)", message_of(error, *command), words));
  }
}

// Everything that the tool understands, and what of it a run found out.
struct Built {
  Outcome outcome;
  List list;
  CLI::App app;

  Built(const Tool& tool, const CommandLine& line, const AddCommands& add)
      : app(tool.summary, tool.name) {
    app.set_version_flag("--version", spell_versions(tool.name));
    app.require_subcommand(1);
    app.footer(tool.footer);
    add(app, line, outcome);
    add_list(app, list);
  }
};

// What packaging and shells ask: hidden, and only as the first word.
bool answer_asked(const Tool& tool, const std::vector<std::string>& words, const AddCommands& add) {
  const WithApp with_app = [&](const std::vector<std::string>& given, const auto& use) {
    const CommandLine line(given, tool.encoding_at, tool.timeout);
    const Built built(tool, line, add);
    use(built.app, line);
  };
  if (words.size() == 1 && words[0] == "--option-tree")
    print(option_tree(with_app));
  else if (!words.empty() && words[0] == "--complete")
    print(completions({words.begin() + 1, words.end()}, with_app));
  else
    return false;
  return true;
}

int build_and_run(const Tool& tool, int argc, char** argv, const AddCommands& add) {
  if (answer_asked(tool, {argv + 1, argv + argc}, add)) return 0;
  const CommandLine line(argc, argv, tool.encoding_at, tool.timeout);
  Built built(tool, line, add);
  line.check_word(built.app, 0, tool.word);
  parse(built.app, line);
  return built.outcome.exit_code;
}

int outcome_of(const Tool& tool, int argc, char** argv, const AddCommands& add) {
  const auto fail = [&](const std::string& message) {
    say(tool.name + ": " + message);
    return 2;
  };
  try {
    return build_and_run(tool, argc, argv, add);
  } catch (const ClosedPipe&) {
    return 2;
  } catch (const std::bad_alloc&) {
    return fail(out_of_memory);
  } catch (const std::exception& error) {
    return fail(error.what());
  } catch (...) {
    return fail("an error without a text");
  }
}

}  // namespace

int run_tool(const Tool& tool, int argc, char** argv, const AddCommands& add) {
  prepare_to_leave(tool.name);
  const int code = outcome_of(tool, argc, argv, add);
  settle_outcome();
  return code;
}

int run_words(const Tool& tool, std::vector<std::string> words, const AddCommands& add) {
  words.insert(words.begin(), tool.name);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return build_and_run(tool, static_cast<int>(argv.size()), argv.data(), add);
}

void add_encodings(CLI::App& app, const CommandLine& line, std::size_t depth,
                   const AddEncoding& add) {
  for (const Encoding* encoding : all_encodings()) {
    CLI::App* sub = app.add_subcommand(std::string(encoding->name), std::string(encoding->summary));
    if (line.asks_for(depth, encoding->name)) add(*sub, *encoding);
  }
}

void add_over_encodings(CLI::App& app, const CommandLine& line, std::string_view name,
                        std::string_view summary, const AddEncoding& add,
                        const std::function<void(CLI::App&)>& add_bare) {
  CLI::App* sub = app.add_subcommand(std::string(name), std::string(summary));
  if (!line.asks_for(0, name)) return;
  if (add_bare && !line.has_word(1))
    add_bare(*sub);
  else
    sub->require_subcommand(1);
  add_encodings(*sub, line, 1, add);
  line.check_word(*sub, 1, "encoding");
}

}  // namespace pe::cmd
