// Exit codes, error lines and stdout.
#include "main.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "pe/base/error.hpp"
#include "pe/io/atomic_file.hpp"
#include "pe/model/parameter.hpp"

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

std::vector<std::string_view> positional(int argc, char** argv) {
  std::vector<std::string_view> found;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) found.emplace_back(argv[i]);
  return found;
}

}  // namespace

void print(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE) throw ClosedPipe();
    throw FileError(fmt::format("cannot write to stdout: {}", std::strerror(errno)));
  }
}

void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

bool asked_for(int argc, char** argv, std::size_t depth, std::string_view name) {
  const auto words = positional(argc, argv);
  return words.size() > depth && words[depth] == name;
}

void check_word(const CLI::App& app, int argc, char** argv, std::size_t depth,
                std::string_view what) {
  const auto words = positional(argc, argv);
  if (words.size() <= depth) return;
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == words[depth]) return;
    if (sub->get_name() != "list") names.push_back(sub->get_name());
  }
  const std::string near = nearest(words[depth], names);
  throw UsageError(fmt::format("unknown {} '{}': {}", what, words[depth],
                               near.empty() ? fmt::format("choose {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean {}?", near)));
}

int guarded(const std::string& tool, const std::function<int()>& body) {
  std::signal(SIGPIPE, SIG_IGN);
  remove_temporaries_on_signals();
  const auto fail = [&](const std::string& message) {
    say(tool + ": " + message);
    return 2;
  };
  try {
    return body();
  } catch (const ClosedPipe&) {
    return 2;
  } catch (const std::bad_alloc&) {
    return fail("out of memory: ask for fewer positions, or a smaller --dim");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

int run(CLI::App& app, int argc, char** argv, const Outcome& outcome) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {  // --help, --version
    const CLI::App* deepest = &app;
    while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
    print(app.get_version_ptr() && app.get_version_ptr()->count() > 0 ? app.version() + "\n"
                                                                      : deepest->help());
    return 0;
  } catch (const CLI::ParseError& error) {
    const CLI::App* deepest = &app;
    std::string command = app.get_name();
    while (!deepest->get_subcommands().empty()) {
      deepest = deepest->get_subcommands().front();
      command += " " + deepest->get_name();
    }
    throw UsageError(fmt::format("{} (see {} --help)", message_of(error, *deepest), command));
  }
  return outcome.exit_code;
}

}  // namespace pe::cmd
