// Exit codes, error lines and subcommands.
#include "tool.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "environment.hpp"
#include "help_page.hpp"
#include "leaving.hpp"
#include "list.hpp"
#include "mistakes.hpp"
#include "option_tree.hpp"
#include "pe/base/error.hpp"
#include "pe/platform/platform.hpp"
#include "talk.hpp"
#include "versions.hpp"

namespace pe::cmd {
namespace {

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
  } catch (const CLI::CallForVersion&) {
    print(app.version() + "\n");
  } catch (const CLI::Success&) {  // --help
    print(app.help());
  } catch (const CLI::ParseError& error) {
    const auto [command, words] = deepest(app);
    throw UsageError(
        fmt::format("{} (see {} --help)", message_of(error, *command, words, line.words()), words));
  }
}

// How help calls the first word.
std::string heading(Sort sort) {
  return sort == Sort::law        ? "LAW ENCODING"
         : sort == Sort::quantity ? "QUANTITY ENCODING"
                                  : "ENCODING";
}

// The version may be asked for behind any word.
void add_version(CLI::App& app, const std::string& own_version) {
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    sub->set_version_flag("-V,--version", own_version)->group("");
    add_version(*sub, own_version);
  }
}

constexpr const char* environment_page =
    "\nENVIRONMENT\n  PE_MEMORY  how much of files may be held in memory, such as 512M or 16G "
    "(default: 1G)\n"
    "  PE_WAIT    seconds that a pipe by its name is waited for; 0: as long as it takes (default: "
    "60)\n";

// Everything that the tool understands.
struct Built {
  List list;
  CLI::App app;

  Built(const Tool& tool, const CommandLine& line, const AddCommands& add, Outcome& outcome)
      : app(tool.summary, tool.name) {
    app.formatter(std::make_shared<HelpPage>(heading(tool.word)));
    const std::string own_version = spell_versions(tool.name);
    app.set_version_flag("-V,--version", own_version, "the version");
    app.require_subcommand(1);
    app.footer(tool.footer + environment_page);
    add(app, line, outcome);
    add_list(app, list);
    add_version(app, own_version);
  }
};

// What packaging and shells ask: hidden, and only as the first word.
bool answer_asked(const Tool& tool, const std::vector<std::string>& words, const AddCommands& add) {
  const WithApp with_app = [&](const std::vector<std::string>& given, const auto& use) {
    const CommandLine line(given, tool.encoding_at, tool.timeout);
    Outcome outcome;
    const Built built(tool, line, add, outcome);
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

void build_and_run(const Tool& tool, int argc, char** argv, const AddCommands& add,
                   Outcome& outcome) {
  if (answer_asked(tool, {argv + 1, argv + argc}, add)) return;
  const CommandLine line(argc, argv, tool.encoding_at, tool.timeout);
  Built built(tool, line, add, outcome);
  line.check_word(built.app, 0, tool.word);
  parse(built.app, line);
}

int outcome_of(const Tool& tool, int argc, char** argv, const AddCommands& add) {
  const auto fail = [&](const std::string& message) {
    say(tool.name + ": " + message);
    return 2;
  };
  Outcome outcome;
  try {
    obey_environment();
    build_and_run(tool, argc, argv, add, outcome);
    say_what_waits();
    return outcome.exit_code;
  } catch (const ClosedPipe&) {
    return outcome.exit_code;  // whoever read stdout had enough of it: nothing failed
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
  platform::keep_freed_memory();
  prepare_to_leave(tool.name);
  const int code = outcome_of(tool, argc, argv, add);
  settle_outcome(code);
  return code;
}

int run_words(const Tool& tool, std::vector<std::string> words, const AddCommands& add) {
  words.insert(words.begin(), tool.name);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  Outcome outcome;
  build_and_run(tool, static_cast<int>(argv.size()), argv.data(), add, outcome);
  say_what_waits();
  return outcome.exit_code;
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
  line.check_word(*sub, 1, Sort::encoding);
}

}  // namespace pe::cmd
