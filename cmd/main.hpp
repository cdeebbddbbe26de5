// Runs a tool's body and turns its outcome into exit code 0 (holds), 1 (fails) or 2 (could not
// tell).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace pe::cmd {

/// What a subcommand found out: 0 or 1. Set by its callback.
struct Outcome {
  int exit_code = 0;
};

/// Parses and runs `app`. Every failure is one line on stderr, "tool: what was wrong", and exit
/// code 2.
int run(CLI::App& app, int argc, char** argv, const Outcome& outcome);

/// The same for a tool that builds its app inside `body`.
int guarded(const std::string& tool, const std::function<int()>& body);

/// Writes text to stdout and makes sure that it arrived.
void print(const std::string& text);

/// One line of talk on stderr.
void say(const std::string& line);

/// The words of the command line that are not options: which subcommands were asked for.
bool asked_for(int argc, char** argv, std::size_t depth, std::string_view name);

/// Refuses a word at `depth` that names no subcommand of `app`, suggesting the nearest.
void check_word(const CLI::App& app, int argc, char** argv, std::size_t depth,
                std::string_view what);

}  // namespace pe::cmd
