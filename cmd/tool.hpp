// One main for every tool: its subcommands, `list`, and an outcome turned into exit code 0 (holds),
// 1 (fails) or 2 (could not tell).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "pe/encodings/encoding.hpp"

namespace pe::cmd {

/// What a subcommand found out: 0 or 1. Set by its callback.
struct Outcome {
  int exit_code = 0;
};

/// What it is set to before a verdict stands: nobody who reads stdout no longer takes the work for
/// passed.
inline constexpr int unread = 2;

/// What tells one tool from another, apart from its subcommands.
struct Tool {
  std::string name, summary, footer;
  Sort word = Sort::encoding;   // what its first word names
  std::size_t encoding_at = 0;  // which word names the encoding
  std::string timeout = "0";    // what --timeout is where nobody says; 0: there is none
};

/// Adds the tool's own subcommands.
using AddCommands = std::function<void(CLI::App&, const CommandLine&, Outcome&)>;

/// The whole of a tool. Every failure is one line on stderr, "tool: what was wrong", and exit code
/// 2.
int run_tool(const Tool& tool, int argc, char** argv, const AddCommands& add);

/// The same of words behind the tool's name, within a process that is there already: failures are
/// thrown.
int run_words(const Tool& tool, std::vector<std::string> words, const AddCommands& add);

/// Gives the subcommand of an encoding its options and callback.
using AddEncoding = std::function<void(CLI::App&, const Encoding&)>;

/// One subcommand for each encoding; only the one that is asked for at `depth` is filled in.
void add_encodings(CLI::App& app, const CommandLine& line, std::size_t depth,
                   const AddEncoding& add);

/// The subcommand `name`, which takes the name of an encoding behind it; where there is none,
/// `add_bare`, unless it is empty, gives the subcommand its own options and callback.
void add_over_encodings(CLI::App& app, const CommandLine& line, std::string_view name,
                        std::string_view summary, const AddEncoding& add,
                        const std::function<void(CLI::App&)>& add_bare = {});

}  // namespace pe::cmd
