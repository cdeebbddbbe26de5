// The tool's subcommands and options as a tree, which manual pages and completions are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace pe::cmd {

/// Hands over the whole command line of a tool, with the subcommand that `words` name filled in.
using WithApp =
    std::function<void(const std::vector<std::string>& words,
                       const std::function<void(const CLI::App&, const CommandLine&)>&)>;

/// JSON: each subcommand with its options, and theirs below it. What a combination refuses (a
/// quantity that an encoding does not have) is left out.
std::string option_tree(const WithApp& with_app);

/// What may stand where the last word is begun, a line each: the word, a blank, what it says.
/// Files are the line " files" and the suffixes that count ("*": all). Nothing where the words
/// before it are wrong.
std::string completions(std::vector<std::string> words, const WithApp& with_app);

}  // namespace pe::cmd
